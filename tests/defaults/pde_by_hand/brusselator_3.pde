# Two reacting and diffusing species with sources that make the solution known.
problem  "two species"
dim      d = 3
domain   x in box(d, 0, 1)
time     t in [0, 1]
field    u(x, t), v(x, t)
let      c = mean_i cos(pi * x_i)
exact    u = 1 + 0.5 * exp(-t) * c
exact    v = 2 - 0.3 * exp(-t) * c
equation one: d(u, t) = 0.1 * lap(u) + 1 + u^2 * v - 4 * u + f
equation two: d(v, t) = 0.1 * lap(v) + 3 * u - u^2 * v + h
source   f, h from exact
initial  u = 1 + 0.5 * c
initial  v = 2 - 0.3 * c
boundary d(u, outward) = 0
boundary d(v, outward) = 0
solve {
  network mlp(features = [mean_i cos(pi*x_i), 2*t - 1])
}
