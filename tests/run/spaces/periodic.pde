# once around in x, walls in y; nothing is said of the ends of x
problem  "A wave carried around a channel"
domain   x in [0, 2*pi] periodic, y in [0, 1]
time     t in [0, 1]
field    u(x, y, t)
equation d(u, t) + d(u, x) = 0.1 * lap(u) + 0.1 * (1 + pi^2) * u
initial  u = sin(x) * sin(pi*y)
boundary u = 0 exactly
reference u = sin(x - t) * sin(pi*y)
