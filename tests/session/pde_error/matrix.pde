# A constant full matrix, in a box.
problem  "error bars: a matrix"
dim      d = 2
param    s = 1, c = 0
domain   x in box(d, -1, 1)
field    u(x)
exact    u = cos(x_1 + 1/2) + 1/d * sum_i x_i^2
equation s * (sum_ij exp(-(i - j)^2 / 2) * d2(u, x_i, x_j) + c * u) = g
source   g from exact
boundary u = exact(u)
