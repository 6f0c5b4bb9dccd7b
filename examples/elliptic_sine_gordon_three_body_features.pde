# Sine-Gordon equation on the unit ball (elliptic_sine_gordon_three_body.pde), by a linear network
# of features.
# Shows: products of three neighbours as features with a free index, `activation = identity`.
# Run:  pdec examples/elliptic_sine_gordon_three_body_features.pde -o x.so && pderun x.so
# Expect: relative L2 error 3.9e-6 at d = 1,000 (a fitted constant and first-order Taylor have
# 6.2e-5), 2 seconds on one core; 1.1e-6 at d = 100 (1.2e-3), one second.
# With a nonlinear network of the same features: elliptic_sine_gordon_three_body_products.pde.
# Not published in this form.

problem "Sine-Gordon on the unit ball by features, three-body exact solution"
dim    d = 1000
domain x in ball(d, 1)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-2 seed 7
exact  u = (1 - norm(x)^2) * sum_{i=1..d-2} c_i * exp(x_i * x_{i+1} * x_{i+2})
equation sum_i d2(u, x_i) + sin(u) = g
source g from exact
boundary u = 0 exactly
sample x ~ radial(uniform)
solve {
  network    mlp(features = [d*x_i*x_{i+1}*x_{i+2}, norm(x)^2],
                 width = 16, depth = 2, activation = identity)
  method     exact(points = 200)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 200
  seed       0
}
