# several vectors of features, with free indices and of different lengths: tangents, sparse directions
dim    d = 12
param  T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) + lap(u) - sum_i d(u, x_i)^2 + sum_i x_i * d(u, x_i) + sum_i (1 + x_i^2) * d2(u, x_i) = 0
terminal u = log((1 + norm(x)^2) / 2)
sample x_i ~ normal(0, 1)
solve {
  network mlp(features = [x/sqrt(d), t, sin(x_{i-1} * x_i * x_{i+1}), norm(x)^2/d, exp(-t) * x_i * x_{i+1}])
}
