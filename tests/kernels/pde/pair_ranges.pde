# pairs in other ranges: explicit halves, with the diagonal, below it, a band, part of the coordinates
dim    d = 8
domain x in box(d, 0, 1)
field  u(x)
equation sum_{i=1..d-1} sum_{j=i+1..d} x_i * d(u, x_i, x_j) * x_j + sum_{i=1..d} sum_{j=i..d} cos(x_i + x_j) * d(u, x_i, x_j)
       + sum_{i=2..d} sum_{j=1..i-1} x_i * d(u, x_i, x_i, x_j) - sum_{i=1..d} sum_{j=1..i} sin(x_i * x_j) * d(u, x_i, x_j)^2
       + sum_{i=2..d-1} sum_{j=i+1..d} x_j * d(u, x_i, x_j) = u
boundary u = 0
