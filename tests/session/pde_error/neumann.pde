# Paths are reflected; what is left fades by c < 0.
problem  "error bars: Neumann"
dim      d = 2
param    s = 1, c = -3
domain   x in ball(d, 1)
field    u(x)
exact    u = cos(x_1 + 1/2) + 1/d * sum_i x_i^2
equation s * (lap(u) + x_1 * d(u, x_1) + c * u) = g
source   g from exact
boundary d(u, outward) = h
source   h from exact
