problem  "PINNacle: Wave 1d-C"
domain   x in [0, 1]
time     t in [0, 1]
field    u(x, t)
equation d2(u, t) = 4 * d2(u, x)
initial  u = sin(pi*x) + sin(4*pi*x) / 2
initial  d(u, t) = 0
boundary u = 0
reference u = sin(pi*x) * cos(2*pi*t) + sin(4*pi*x) * cos(8*pi*t) / 2
