# Elliptic with exit from a simplex: paths leave by a coordinate's face or by that of their sum.
problem  "error bars: simplex"
dim      d = 2
param    s = 1, k = 0, c = 0
domain   x in simplex(d)
field    u(x)
exact    u = cos(x_1 + 1/2) + 1/d * sum_i x_i^2
equation s * (sum_i (1 + i/d) * d2(u, x_i) + k * sum_i x_i * d(u, x_i) + c * u) = g
source   g from exact
boundary u = exact(u)
