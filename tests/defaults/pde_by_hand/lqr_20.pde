# Linear-quadratic control: the value is quadratic in x with a coefficient that solves Riccati's equation.
problem  "linear-quadratic regulator"
dim      d = 20
param    T = 1
domain   x in R(d)
time     t in [0, T]
field    u(x, t)
let      a = tanh(T - t) / 2
exact    u = a * norm(x)^2 + d / 2 * log(cosh(T - t))
equation d(u, t) + lap(u) / 2 - sum_i d(u, x_i)^2 / 2 + norm(x)^2 / 2 = 0
terminal u = 0 exactly
sample   x_i ~ normal(0, 1)
solve {
  network mlp(features = [norm(x)^2/d - 1, 2*t - 1])
}
