# an unknown number inside a derivative along a direction and inside a function of the gradient
dim    d = 8
domain x in box(d, 0, 1)
field  u(x)
unknown kappa in (0, 2) = 0.5
equation lap(u) + sum_i sin(kappa * x_i) * d(u, x_i) + sum_i cos(kappa * d(u, x_i)) = 1/2
boundary u = 0
