# Data at the end of time; coefficients depend on time and place.
problem  "error bars: terminal data"
dim      d = 2
param    s = 1, k = 0, c = 0, T = 1
domain   x in R(d)
time     t in [0, T]
field    u(x, t)
sample   x_i ~ normal(0, 1)
exact    u = cos(x_1 + t) + t * sum_i x_i / d
equation s * ((2 + t) * d(u, t) + (1 + t) * lap(u) + k * sum_i sin(x_i + 3*t) * d(u, x_i) + c * (1 + t) * u) = g
source   g from exact
terminal u = exact(u)
