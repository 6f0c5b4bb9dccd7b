# Reflection with absorption, in a box with time.
problem  "error bars: Robin"
dim      d = 2
param    s = 1, c = 0, b = 2, T = 1
domain   x in box(d, 0, 1)
time     t in [0, T]
field    u(x, t)
exact    u = cos(x_1 + t) + t * sum_i x_i^2 / d
equation s * (d(u, t) - lap(u) - c * u) = g
source   g from exact
initial  u = exact(u)
boundary 2 * d(u, outward) + b * u = h
source   h from exact
