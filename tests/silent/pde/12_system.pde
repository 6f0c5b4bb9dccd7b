# A system in time with an unknown number: every kind of option has something to do.
dim d = 3
domain x in box(d, -1, 1)
time t in [0, 1]
field u(x, t), v(x, t)
unknown nu in (0, 1) = 0.1
exact u = exp(-t) * sin(x_1)
exact v = x_2
equation first: d(u, t) = nu * lap(u) + g
equation second: lap(v) = 0
source g from exact
initial u = sin(x_1)
boundary u = exp(-t) * sin(x_1)
boundary v = x_2
reference nu = 0.25
solve {
  network mlp(width = 4, depth = 2)
  method sdgd(points = 4, terms = 2)
  iterations 2
}
