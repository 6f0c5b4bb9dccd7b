# Exit in time or in space, whichever is first.
problem  "error bars: time and a ball"
dim      d = 2
param    s = 1, k = 0, c = 0, T = 1/4
domain   x in ball(d, 1)
time     t in [0, T]
field    u(x, t)
exact    u = cos(x_1 + t) + t * sum_i x_i / d
equation s * (d(u, t) - (1 + t) * lap(u) + k * x_1 * d(u, x_1) + c * u) = g
source   g from exact
initial  u = exact(u)
boundary u = exact(u)
