# Elliptic with exit from a ball: drift, rate of either sign, coefficients that vary, data on the boundary.
problem  "error bars: a ball"
dim      d = 2
param    s = 1, k = 0, c = 0
domain   x in ball(d, 1)
field    u(x)
exact    u = cos(x_1 + 1/2) + 1/d * sum_i x_i^2
equation s * (lap(u) + k * sum_i x_i * d(u, x_i) + c * (1 + x_1 / 2) * u) = g
source   g from exact
boundary u = exact(u)
