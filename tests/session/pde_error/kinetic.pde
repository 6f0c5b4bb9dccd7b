# Degenerate: noise in the velocity x_2 alone.
problem  "error bars: kinetic"
dim      d = 2
param    s = 1, T = 1
domain   x in R(d)
time     t in [0, T]
field    u(x, t)
sample   x_i ~ normal(0, 1)
exact    u = cos(x_1 + t) + t * x_2 / 2
equation s * (d(u, t) + x_2 * d(u, x_1) - x_2 * d(u, x_2) - d2(u, x_2)) = g
source   g from exact
initial  u = exact(u)
