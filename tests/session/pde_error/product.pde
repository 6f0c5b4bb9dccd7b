# A product of a ball, an interval and all of a line, with time: paths leave the first of the domains that they come to.
problem  "error bars: a product of domains"
dim      d = 2
param    s = 1, c = -1, k = 0, T = 1
domain   x in ball(d, 1), y in [0, 2], z in R(1)
time     t in [0, T]
field    u(x, y, z, t)
exact    u = cos(x_1 + y / 2) * exp(-t) + sin(z_1 + x_d)
sample   z_i ~ normal(0, 1)
equation s * (d(u, t) + lap(u) + k * y * d(u, z_1) + c * u) = g
source   g from exact
boundary u = h
source   h from exact
terminal u = h2
source   h2 from exact
