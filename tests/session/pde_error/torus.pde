# Periodic in space, initial data: paths go round.
problem  "error bars: a torus"
dim      d = 2
param    s = 1, k = 0, c = 0
domain   x in torus(d, -1, 1)
time     t in [0, 1]
field    u(x, t)
exact    u = 1/d * sum_i sin(pi * x_i) * (1 + t) + cos(pi * x_1)
equation s * (d(u, t) - 1/4 * lap(u) + k * sum_i cos(pi * x_i) * d(u, x_i) - c * u) = g
source   g from exact
initial  u = exact(u)
