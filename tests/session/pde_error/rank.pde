# Identity plus rank one, over all space; rank one alone with w = 0.
problem  "error bars: rank one"
dim      d = 2
param    s = 1, w = 1, c = 0, T = 1
domain   x in R(d)
time     t in [0, T]
field    u(x, t)
sample   x_i ~ normal(0, 1)
exact    u = cos(x_1 + t) + t * sum_i x_i / d
equation s * (d(u, t) + 1/d * sum_ij x_i * x_j * d2(u, x_i, x_j) + w * lap(u) + c * u) = g
source   g from exact
terminal u = exact(u)
