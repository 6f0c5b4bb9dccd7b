# the network sees functions of the point: chain rule, slanted directions
dim    d = 12
param  T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) + lap(u) - sum_i d(u, x_i)^2 + sum_i x_i * d(u, x_i) = 0
terminal u = log((1 + norm(x)^2) / 2)
sample x_i ~ normal(0, 1)
solve {
  network mlp(features = [x/sqrt(d), t, norm(x)^2/d], width = 64, depth = 4, activation = tanh)
}
