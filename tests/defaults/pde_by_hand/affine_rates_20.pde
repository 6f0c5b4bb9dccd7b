# Twenty mean-reverting factors, each with its own speed; the bond price is exponential and affine.
problem  "bond with twenty Gaussian factors"
dim      d = 20
param    s = 0.05, T = 2
domain   x in R(d)
time     t in [0, T]
field    P(x, t)
let      k_i = 0.2 + i / d
let      B_i = (1 - exp(-k_i * (T - t))) / k_i
let      v_i = s^2 / (2 * k_i^2) * ((T - t) - 2 * B_i + (1 - exp(-2 * k_i * (T - t))) / (2 * k_i))
exact    P = exp(sum_i (v_i - B_i * x_i) / d - sum_i v_i * (1 - 1 / d) / d)
equation d(P, t) - sum_i k_i * x_i * d(P, x_i) + s^2 / 2 * lap(P) - mean_i x_i * P = 0
terminal P = 1 exactly
sample   x_i ~ normal(0, 0.2)
solve {
  network mlp(features = [x_i*sqrt(25), t - 1])
}
