# Sine-Gordon equation on the unit ball (elliptic_sine_gordon.pde), by a linear network of features.
# Shows: several vectors of features with free indices, `activation = identity`: a Galerkin method
# whose basis the file states, with the nonlinear equation and the exact Laplacian in O(d).
# Run:  pdec examples/elliptic_sine_gordon_features.pde -o x.so && pderun x.so
# Expect: relative L2 error 5.1e-4 at d = 1,000 (first-order Taylor 2.1e-2), 13 seconds on one core;
# 2.1e-3 at d = 100 (2.9e-2), 4 seconds.
# The features: x, its squares and the products of neighbours, with no word on which of them matter
# and how much; the cubic rest of the solution is what remains.
# With a nonlinear network of the same features: elliptic_sine_gordon_products.pde.
# Not published in this form.

problem "Sine-Gordon on the unit ball by features, two-body exact solution"
dim    d = 1000
domain x in ball(d, 1)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-1 seed 7
exact  u = (1 - norm(x)^2) * sum_{i=1..d-1} c_i * sin(x_i + cos(x_{i+1}) + x_{i+1} * cos(x_i))
equation sum_i d2(u, x_i) + sin(u) = g
source g from exact
boundary u = 0 exactly
sample x ~ radial(uniform)
solve {
  network    mlp(features = [sqrt(d)*x, d*x_i^2, d*x_i*x_{i+1}, norm(x)^2],
                 width = 16, depth = 2, activation = identity)
  method     exact(points = 400)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 300
  seed       0
}
