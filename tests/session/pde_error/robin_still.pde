# Robin without time: absorption at the boundary alone ends paths.
problem  "error bars: Robin without time"
dim      d = 2
param    s = 1, b = 2
domain   x in ball(d, 1)
field    u(x)
exact    u = cos(x_1 + 1/2) + 1/d * sum_i x_i^2
equation s * lap(u) = g
source   g from exact
boundary d(u, outward) + b * u = h
source   h from exact
