# A travelling front of the viscous Burgers equation.
problem  "Burgers front"
dim      d = 1
param    nu = 0.02
domain   x in box(d, -1, 1)
time     t in [0, 1]
field    u(x, t)
exact    u = 0.5 - 0.5 * tanh((x_1 - t / 2) / (4 * nu))
equation d(u, t) + u * d(u, x_1) = nu * d2(u, x_1)
initial  u = 0.5 - 0.5 * tanh(x_1 / (4 * nu))
boundary u = exact(u)
solve {
  network mlp(features = [x_1, 2*t - 1, tanh(x_1/(4*nu))])
}
