problem  "PINNacle: Heat 2d-MS"
domain   x in [0, 1], y in [0, 1]
time     t in [0, 5]
field    u(x, y, t)
equation d(u, t) = d2(u, x) / (500*pi)^2 + d2(u, y) / pi^2
initial  u = sin(20*pi*x) * sin(pi*y)
boundary u = 0
reference u = sin(20*pi*x) * sin(pi*y) * exp(-(1 + (20/500)^2) * t)
