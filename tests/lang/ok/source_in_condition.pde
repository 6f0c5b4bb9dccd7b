dim d = 30
param k = 2
domain x in ball(d, 1)
field u(x)
exact u = cos(k * x_1) + sum_i x_i^2 / d
equation lap(u) + k^2 * (1 + x_1^2) * u = g
boundary d(u, outward) + u = h
source g, h from exact
