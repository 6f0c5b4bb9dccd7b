# Melting ice: the front s(t) is unknown. With y = x / s the water is 0 < y < 1 at every time.
problem  "one-phase Stefan problem"
domain   y in [0, 1]
time     t in [0, 1/2]
field    u(y, t), s(t)
let      w = 1 + t
equation s^2 * d(u, t) - y * s * d(s, t) * d(u, y) = d2(u, y)
initial  s = 1 exactly
initial  u = exp(1 - y) - 1
boundary u = exp(w) - 1 on y = 0
boundary u = 0 on y = 1
boundary s * d(s, t) = -d(u, y) on y = 1
reference s = w
reference u = exp(w * (1 - y)) - 1
