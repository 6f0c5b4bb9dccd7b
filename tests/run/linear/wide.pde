problem "features with free indices and several vectors"
dim    d = 6
domain x in ball(d, 1)
field  u(x)
equation sum_i (1 + x_i^2) * d2(u, x_i) + u * sum_i x_i * d(u, x_i) = 1
boundary u = 0 exactly
solve {
  network mlp(features = [x, x_i * x_{i+1}, sin(x_i * x_{i+2}), norm(x)^2], width = 8, depth = 3, activation = ACTIVATION)
}
