# HJB-Log (hjb_log.pde) trained on three kinds of points: those of the test law, adversarial ones,
# and those of diffusion paths.
# Shows: points that climb the squared residual (`attack`), a training law with a parameter, so that
# one file serves all three.
# Run:  pdec examples/hjb_log_points.pde -o x.so && pderun x.so [--attack-steps 20 | --set spread=1]
# Expect: relative L2 error on the test law 8.7e-2 when trained on it (14 seconds on one core),
# 2.2e-2 with adversarial points (171 seconds), 1.6e-3 on paths (14 seconds); a fitted constant
# times T - t has 1.5e-2. With x and t themselves as inputs, as published: 7.5e-2, 8.7e-2, 2.1e-2.
# Published: 20 steps of 0.05 up the sign of the residual's gradient before each step of Adam, 10
# terms in the attack, 100 in the step, width 1024, 10,000 steps: 6.1e-3.
# Why the attack helps: it moves |x|^2/d, by up to 1 in each coordinate, to where the solution's
# information comes from; a law that says so at once does it better, at no cost (hjb_log_paths.pde).

problem "HJB, logarithmic terminal cost, three choices of points"
dim    d = 250
param  T = 1, spread = 0
domain x in R(d)
time   t in [0, T]
field  u(x, t)
let    cost(y) = log((1 + norm(y)^2) / 2), s2 = 2 * (T - t)
equation d(u, t) + lap(u) - sum_i d(u, x_i)^2 = 0
terminal u = cost(x)
ansatz   u = (T - t) * net + cost(x)
sample   s ~ uniform(0, 1)
sample   x_i ~ normal(0, sqrt(1 + 2*spread*t*s))
test     x_i ~ normal(0, 1)
reference u = -log(2 * integral(v = -log(1 + 10*d) - 42..log(800):
    exp(v - exp(v) - d/2 * log1p(2*s2*exp(v)) - exp(v) * norm(x)^2 / (1 + 2*s2*exp(v)))))
solve {
  network    mlp(features = [x/sqrt(d), t, norm(x)^2/d], width = 64, depth = 4, activation = tanh)
  method     exact(points = 100)
  attack     sign(steps = 0, size = 0.05, terms = 10)
  optimiser  adam(rate = linear(1e-3, 0))
  iterations 3000
  seed       0
}
