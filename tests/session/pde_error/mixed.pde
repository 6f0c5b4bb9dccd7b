# Four kinds of edges: paths end at one, are reflected at the others.
problem  "error bars: a condition for each edge"
param    s = 1, c = -1, b = 1
domain   x in [0, 1], y in [0, 2]
field    u(x, y)
exact    u = sin(2*x + 1/4) * (y^2 + 1)
equation s * (d2(u, x) + 2 * d2(u, y) + x * d(u, y) + c * u) = g
source   g from exact
boundary u = sin(1/4) * (y^2 + 1) on x = 0
boundary d(u, x) = 2 * cos(9/4) * (y^2 + 1) on x = 1
boundary d(u, outward) = 0 on y = 0
boundary d(u, y) + b * u = sin(2*x + 1/4) * (4 + 5 * b) on y = 2
