dim    d = 6
domain x in box(d, 0, 1)
field  u(x)
equation sum_{i<j} (x_i + 2 * x_j) * d(u, x_i, x_i, x_j) + sum_{i<j} d(u, x_i, x_j)^2
       + sum_{i<j} i * j * d(u, x_i, x_j, x_j, x_j) = u^2
boundary u = 0
