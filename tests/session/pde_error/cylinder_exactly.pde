# The same backwards, conditions met by the trial function.
problem  "error bars: time and a box, conditions met"
dim      d = 2
param    s = 1, c = 0, T = 1/2
domain   x in box(d, 0, 1)
time     t in [0, T]
field    u(x, t)
exact    u = (T - t) * cos(x_1 + t) * prod_i sin(pi * x_i)
equation s * (d(u, t) + (1 + t) * lap(u) + c * u) = g
source   g from exact
terminal u = 0 exactly
boundary u = 0 exactly
