# Something carried round by a rotating flow while it diffuses.
problem  "rotating plume"
dim      d = 2
param    D = 0.05
domain   x in box(d, -2, 2)
time     t in [0, 1]
field    c(x, t)
let      w = 0.1 + 2 * D * t
exact    c = 0.1 / w * exp(-((x_1 - 0.8 * cos(2 * t))^2 + (x_2 - 0.8 * sin(2 * t))^2) / (2 * w))
equation d(c, t) - 2 * x_2 * d(c, x_1) + 2 * x_1 * d(c, x_2) = D * lap(c)
initial  c = exp(-((x_1 - 0.8)^2 + x_2^2) / 0.2)
boundary c = exact(c)
solve {
  network mlp(features = [x_1, x_2, 2*t - 1])
}
