# families that do not start at 1, several of them
dim    d = 9
domain x in box(d, 0, 1)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-1
equation sum_{i=2..d} x_i * d2(u, x_i) * d(u, x_i) + sum_{i=3..d} c_{i-1} * d2(u, x_i) * u + sum_{i=2..d-1, j=2..d} x_j * d(u, x_i, x_j)
       + sum_{i=1..d-1} c_i * d(u, x_{i+1}) = 0
boundary u = 0
