# Hamilton-Jacobi-Bellman equation with the terminal cost log((1 + |x|^2) / 2): "HJB-Log".
# Shows: sampled second derivatives beside a full gradient, a terminal condition met exactly, an
# exact reference as a one-dimensional integral.
# Run:  pdec examples/hjb_log.pde -o x.so && pderun x.so
# Published: 100 points and 100 terms a step, algorithm 3 in the text (the Log script has only full,
# 1 and 2), model (1 - t) NN + g with NN of width 1024, 10,000 Adam steps, rate linear from 1e-3 to
# 0, x ~ N(0, I), t ~ U(0, 1); before each step 20 sign-ascent steps of 0.05 on the points (here
# in hjb_log_points.pde).
# Only u_ii is sampled; |grad u|^2 is computed in full by one reverse sweep, as in text and codes.
# The reference: exp(-u) solves the heat equation backward, and 1/(1 + q) is a Laplace integral over
# exp(-l (1 + q)); with l = exp(v) the integrand is smooth at every d. It replaces the published
# references, which are Monte Carlo with one sample shared by all points.
# Trap: N(0, I) does not cover where the solution's information comes from: see hjb_log_paths.pde.

problem "HJB, logarithmic terminal cost"
dim    d = 250
param  T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
let    cost(y) = log((1 + norm(y)^2) / 2), s2 = 2 * (T - t)
equation d(u, t) + lap(u) - sum_i d(u, x_i)^2 = 0
terminal u = cost(x)
ansatz   u = (T - t) * net + cost(x)
sample   x_i ~ normal(0, 1)
reference u = -log(2 * integral(v = -log(1 + 10*d) - 42..log(800):
    exp(v - exp(v) - d/2 * log1p(2*s2*exp(v)) - exp(v) * norm(x)^2 / (1 + 2*s2*exp(v)))))
solve {
  network    mlp(width = 128, depth = 4, activation = tanh)
  method     sdgd(algorithm = 3, terms = 100, points = 100)
  optimiser  adam(rate = linear(1e-3, 0))
  iterations 10000
  seed       0
}
