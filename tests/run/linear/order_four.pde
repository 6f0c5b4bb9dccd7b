problem "fourth order over pairs, with a trial function"
dim    d = 4
domain x in annulus(d, 1, 2)
field  u(x)
equation sum_ij (1 + x_i * x_j) * d4(u, x_i, x_i, x_j, x_j) + lap(u) * u = exp(x_1)
boundary u = 0 exactly
boundary d(u, outward) = 1
solve {
  network mlp(width = 8, depth = 3, activation = ACTIVATION)
}
