# a band as indicators of a full double sum, and as ranges
dim    d = 9
domain x in ball(d, 2)
field  u(x)
let    B_ij = 2 * delta_ij + delta_ij * x_i^2
equation sum_ij B_ij * d(u, x_i, x_j) + sum_{i=2..d} x_{i-1} * d2(u, x_i) + sum_{i=1..d-1} x_{i+1} * d2(u, x_i) = u
boundary u = 0 exactly
