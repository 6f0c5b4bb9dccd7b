# Semilinear heat equation forward in time; wanted is the value at one point, u(0, T).
# Shows: an initial value built into the trial function (proven), a law that shrinks with time, a
# reference value.
# Run:  pdec examples/parabolic_semilinear_heat.pde -o x.so && pderun x.so
# Published: as in parabolic_allen_cahn.pde, and backward in time with the data as a loss; below is
# the form of the text. u depends on |x|^2 only.
# Trap: the variance of the points is 2 (T - t), not T - t as the text says.
# Reference u(0, T): d = 10: 0.469549871, 100: 0.316627808, 1,000: 0.287468392, 10,000: 0.284307132,
# 100,000: 0.283988385. The published reference at d = 10 (0.47006) is 1.1e-3 off.

problem "Semilinear heat equation, initial value"
dim    d = 1000
param  T = 0.3
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) = lap(u) + (1 - u^2) / (1 + u^2)
initial  u = 5 / (10 + 2 * norm(x)^2)
ansatz   u = 5 / (10 + 2 * norm(x)^2) + t * net
sample   x_i ~ normal(0, sqrt(2*(T - t)))
reference u = 0.287468392 at x_i = 0, t = T # at d = 1000
solve {
  network    mlp(width = 128, depth = 4, activation = tanh)
  method     sdgd(algorithm = 2, terms = 10, second = 10, points = 100)
  optimiser  adam(rate = exponential(1e-3, 0.9995))
  iterations 10000
  seed       0
}
