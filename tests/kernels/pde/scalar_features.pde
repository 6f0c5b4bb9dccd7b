# no vector input at all
dim    d = 12
domain x in R(d)
field  u(x)
equation lap(u) + u * sum_i x_i * d(u, x_i) = u^2
sample x_i ~ normal(0, 1)
solve {
  network mlp(features = [norm(x)^2/d, log(sum_i exp(x_i)), sum_i sin(x_i)], width = 64, depth = 4, activation = tanh)
}
