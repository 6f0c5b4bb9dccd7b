# A zero-coupon bond where the short rate is a square-root process: degenerate at 0.
problem  "bond in the Cox-Ingersoll-Ross model"
dim      d = 1
param    kappa = 0.6, theta = 0.04, s = 0.15, T = 5
domain   x in box(d, 0, 0.2)
time     t in [0, T]
field    P(x, t)
let      h = sqrt(kappa^2 + 2 * s^2), E = exp(h * (T - t))
let      D = 2 * h + (kappa + h) * (E - 1)
let      A = (2 * h * exp((kappa + h) * (T - t) / 2) / D)^(2 * kappa * theta / s^2)
exact    P = A * exp(-2 * (E - 1) / D * x_1)
equation d(P, t) + kappa * (theta - x_1) * d(P, x_1) + s^2 / 2 * x_1 * d2(P, x_1) - x_1 * P = 0
terminal P = 1
boundary P = exact(P)
solve {
  network mlp(features = [(x_1 - 0.1)/0.06, t/2.5 - 1])
}
