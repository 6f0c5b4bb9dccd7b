# Elliptic with exit from a box: another diffusion along each coordinate, which varies.
problem  "error bars: a box"
dim      d = 2
param    s = 1, k = 0, c = 0
domain   x in box(d, -1, 2)
field    u(x)
exact    u = cos(x_1 + 1/2) + 1/d * sum_i x_i^2
equation s * (sum_i (1 + i/d + sin(x_i) / 2) * d2(u, x_i) + k * sum_i cos(x_i) * d(u, x_i) + c * u) = g
source   g from exact
boundary u = exact(u)
