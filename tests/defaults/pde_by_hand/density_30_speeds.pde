# The density of thirty Ornstein-Uhlenbeck coordinates with different speeds.
problem  "Fokker-Planck, thirty speeds"
dim      d = 30
param    T = 1
domain   x in R(d)
time     t in [0, T]
field    p(x, t)
let      k_i = 0.5 + i / d
let      v_i = 1 / k_i + (1 - 1 / k_i) * exp(-2 * k_i * t)
exact    p = exp(-sum_i (x_i^2 / v_i + log(2 * pi * v_i)) / 2)
equation d(p, t)/p = sum_i d(k_i * x_i * p, x_i)/p + lap(p)/p
initial  p = exp(-norm(x)^2 / 2 - d / 2 * log(2 * pi))
sample   x_i ~ normal(0, 1)
ansatz p = exp(-0.5 * (sum_{i=1..d} x_i^2) - 0.5 * d * log(2 * pi) + (t) * net)
solve {
  network mlp(features = [x_i, (2 * t - T) / T, (sum_{i=1..d} x_i^2 - d) / sqrt(2*d), sum_i k_i*x_i^2/sqrt(d), sum_i k_i^2*x_i^2/sqrt(d)])
}
