# third and fourth derivatives through features with free indices
dim    d = 5
domain x in box(d, -1, 1)
field  u(x), v(x)
equation one: sum_i d4(u, x_i) + sum_i d3(v, x_i) = 0
equation two: sum_i (1 + x_i^2) * d3(u, x_i) + v = 0
boundary u = 0
boundary d(u, outward) = 0
boundary v = 0
solve {
  network mlp(features = [x_i * x_{i+1}, x, norm(x)^2])
}
