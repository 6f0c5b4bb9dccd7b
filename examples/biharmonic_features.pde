# Biharmonic equation on an annulus (biharmonic.pde) in 100 dimensions, by a linear network of
# features.
# Shows: `activation = identity`: the network is a linear combination of its features, so that only
# their derivatives count, and the sum over all d^2 fourth derivatives is a derivative along one
# direction, exact and O(d).
# Run:  pdec examples/biharmonic_features.pde -o x.so && pderun x.so
# Expect: relative L2 error 9.1e-5 at d = 100 (a fitted constant times the boundary factor has
# 8.0e-3), 3 seconds on one core; 1.8e-3 at d = 20 (2.2e-2), 1.2e-6 at d = 1,000 (1.7e-4), 8
# seconds.
# The features: all products of three neighbours, with no word on which of them matter and how much.
# What is left at d = 20 no training lowers: the exponential has squares of them, too.
# Not published in this form.

problem "Biharmonic equation by a linear combination of products of three neighbours"
dim    d = 100
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
  network    mlp(features = [d*x_i*x_{i+1}*x_{i+2}, norm(x)^2], width = 16, depth = 2, activation = identity)
  method     exact(points = 200)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 200
  seed       0
}
