problem  "error bars: an annulus"
dim      d = 2
param    s = 1, c = 0
domain   x in annulus(d, 1, 2)
field    u(x)
exact    u = cos(x_1 + 1/2) + 1/d * sum_i x_i^2
equation s * (lap(u) + c * u) = g
source   g from exact
boundary u = exact(u)
