# Merton's portfolio: the control is solved for, which leaves a quotient of derivatives.
problem  "optimal portfolio with power utility"
dim      d = 1
param    r = 0.03, m = 0.08, vol = 0.25, a = 0.5, T = 1
domain   x in box(d, 0.5, 2)
time     t in [0, T]
field    V(x, t)
let      k = a * r + a / (1 - a) * (m - r)^2 / (2 * vol^2)
exact    V = x_1^a / a * exp(k * (T - t))
equation d(V, t) * d2(V, x_1) + r * x_1 * d(V, x_1) * d2(V, x_1) - (m - r)^2 / (2 * vol^2) * d(V, x_1)^2 = 0
terminal V = x_1^a / a
boundary V = exact(V)
solve {
  network mlp(features = [log(x_1), sqrt(x_1), 2*t - 1])
}
