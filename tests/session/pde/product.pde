# a product of three domains with a boundary and one without: run_products.c looks at which boundary a point is on
domain x in ball(2, 2), y in [-1, 2], z in ball(2, 1), w in R(2)
field u(x, y, z, w)
equation lap(u) - u^3 = sin(x_1)
boundary d(u, outward) + u = x_1
sample w_i ~ normal(1, 2)
sample y ~ uniform(-1, 2)
solve {
  network mlp(width = 8, depth = 3)
  attack  sign(steps = 1, size = 0.01)
}
