# HJB-Log (hjb_log.pde) trained where the information travels: along diffusion paths from the test
# law.
# Shows: an auxiliary random number in a sampling law, a test law of its own, input features, all
# second derivatives in closed form.
# Run:  pdec examples/hjb_log_paths.pde -o x.so && pderun x.so
# Expect: relative L2 error 7.1e-5 at d = 250 and 5.1e-5 at d = 1,000 (published 6.1e-3, 5.9e-3; a
# fitted constant times T - t has 1.5e-2, 1.1e-2), 4 and 6 seconds on one core;
# 2.8e-4 at 10,000 with 100 iterations (published 4.9e-2). hjb_log.pde, the same
# equation with x and t as inputs and the test law as training law, stops at 7.5e-2.
# Why: with q = |x|^2/d the equation is nearly transport, dq/dt = 2: u at (q = 1, t) is set by the
# cost at q = 1 + 2 (T - t), while N(0, I) has q within sqrt(2/d) of 1. A small residual there fixes
# nothing.
# Not published in this form. Scored on the published law, x ~ N(0, I), t ~ U(0, 1).

problem "HJB, logarithmic terminal cost, trained along paths"
dim    d = 250
param  T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
let    cost(y) = log((1 + norm(y)^2) / 2), s2 = 2 * (T - t)
equation d(u, t) + lap(u) - sum_i d(u, x_i)^2 = 0
terminal u = cost(x)
ansatz   u = (T - t) * net + cost(x)
sample   s ~ uniform(0, 1)
sample   x_i ~ normal(0, sqrt(1 + 2*t*s))
test     x_i ~ normal(0, 1)
reference u = -log(2 * integral(v = -log(1 + 10*d) - 42..log(800):
    exp(v - exp(v) - d/2 * log1p(2*s2*exp(v)) - exp(v) * norm(x)^2 / (1 + 2*s2*exp(v)))))
solve {
  network    mlp(features = [x/sqrt(d), t, norm(x)^2/d], width = 32, depth = 3, activation = tanh)
  method     exact(points = 200)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 300
  seed       0
}
