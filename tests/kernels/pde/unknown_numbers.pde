# unknown numbers outside sums, inside sums and in the data
dim    d = 8
domain x in box(d, 0, 1)
field  u(x)
unknown kappa in (0, 2) = 0.5
unknown mu in [1, 3]
exact  kappa = 0.7
equation kappa * lap(u) + sum_i exp(-kappa * x_i) * d2(u, x_i) + mu^2 * u * sin(kappa * x_1) = mu * cos(sum_i x_i)
boundary u = mu * norm(x)^2
