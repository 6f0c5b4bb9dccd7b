# features with free indices under sums over pairs, mixed with time, and of fourth order
dim    d = 7
domain x in ball(d, 1)
time   t in [0, 1]
field  u(x, t)
equation first: sum_ij (1 + x_i * x_j) * d2(u, x_i, x_j) + d(u, t) + sum_i d2(u, x_i, t) + d(u, x_1, x_2) = 0
initial  u = 0
boundary d(u, outward) = 0
solve {
  network mlp(features = [sin(x_i) + x_{i+1}^2, t * sum_i x_i^3, 2 * x])
}
