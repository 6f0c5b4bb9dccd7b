# A string that is plucked in two modes.
problem  "string"
dim      d = 1
domain   x in box(d, 0, 1)
time     t in [0, 1]
field    u(x, t)
exact    u = sin(pi * x_1) * cos(2 * pi * t) + sin(3 * pi * x_1) * cos(6 * pi * t) / 3
equation d2(u, t) = 4 * d2(u, x_1)
initial  u = sin(pi * x_1) + sin(3 * pi * x_1) / 3
initial  d(u, t) = 0
boundary u = 0
solve {
  network mlp(features = [2*x_1 - 1, sin(pi*x_1), sin(3*pi*x_1), 2*t - 1])
}
