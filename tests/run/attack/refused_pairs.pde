problem "pairs with coefficients"
dim    d = 6
domain x in annulus(d, 1, 2)
field  u(x)
equation sum_ij (delta_ij + sin(x_i * x_j)) * d2(u, x_i, x_j) = 1
boundary u = 0 exactly
solve {
  attack sign(steps = 3)
}
