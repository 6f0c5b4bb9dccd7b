# Poisson equation on the unit cube, solution a mean of exponentials.
# Shows: a box, a boundary condition as a loss with a weight.
# Run:  pdec examples/poisson_box.pde -o x.so && pderun x.so
# Expect: relative L2 error 2.6e-4 at d = 10 (a fitted constant has 9.2e-2), 5.5e-3 at 100 (3.0e-2),
# in 17 and 13 seconds on one core by natural gradient; commands in RESULTS.md.
# Published (STDE code): x uniform in the cube; boundary points have one random coordinate set to 0
# or 1, weight 20; 16 terms, 100 points, network [d,128,128,128,1], 10,000 Adam steps, rate linear
# from 1e-3 to 0.
# Trap: in high dimension u is nearly constant (e - 1, with a spread of 0.49/sqrt(d)): a small
# relative error means little.

problem "Poisson on the unit cube, sum of exponentials"
dim    d = 1000
domain x in box(d, 0, 1)
field  u(x)
exact  u = 1/d * sum_i exp(x_i)
equation lap(u) = g
source g from exact
boundary u = exact(u) weight 20
solve {
  network    mlp(width = 128, depth = 4, activation = tanh)
  method     sdgd(algorithm = 3, terms = 16, points = 100)
  optimiser  adam(rate = linear(1e-3, 0))
  iterations 10000
  seed       0
}
