# Biharmonic equation on an annulus; every three neighbouring coordinates interact.
# Shows: fourth order: d^2 terms over pairs, a normal derivative on the boundary, a source of fourth
# order in O(d).
# Run:  pdec examples/biharmonic.pde -o x.so && pderun x.so
# Expect: relative L2 error 3.9e-3 at d = 20 (a fitted constant times the boundary factor has
# 2.2e-2), two and a half minutes on one core. At d = 100 the cubic terms, one of 171,700 for each
# three neighbours, are more than a network of x finds in ten minutes: see biharmonic_features.pde
# (the same equation, 9.1e-5) and biharmonic_system.pde (6.8e-4).
# Published (HTE code): radius uniform on (1, 2), 512 normal directions with the factor 1/3, 100
# points, network [d,128,128,128,1] tanh, 10,000 Adam steps, rate linear from 1e-3 to 0.
# Trap: +-1 directions are biased at fourth order. Published runs give only u = 0 on the boundary,
# which is one condition too few; this file states both.

problem "Biharmonic equation on the annulus 1 < |x| < 2, three-body exact solution"
dim    d = 20
domain x in annulus(d, 1, 2)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-2
exact  u = (1 - norm(x)^2) * (4 - norm(x)^2) * sum_{i=1..d-2} c_i * exp(x_i * x_{i+1} * x_{i+2})
equation sum_ij d4(u, x_i, x_i, x_j, x_j) = g
source g from exact
boundary u = 0 exactly
boundary d(u, outward) = d(exact(u), outward)
sample x ~ radial(uniform)
solve {
  network    mlp(width = 48, depth = 3, activation = tanh)
  method     full(points = 300)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 200
  seed       0
}
