# Semilinear heat equation forward in time; wanted is the value at one point, u(0, T).
# Shows: an initial value built into the trial function (proven), the data as a feature of the
# network, a law that shrinks with time, all terms of the Laplacian in closed form, a value to score
# against.
# Run:  pdec examples/parabolic_semilinear_heat.pde -o x.so && pderun x.so
# Other d: --set d=100 --set wanted=0.316627807586; 10: 0.469549871352, 1,000: 0.287468391604,
# 10,000: 0.284307131591, 100,000: 0.283988384715 (exact to all digits).
# Expect: relative error 1.5e-5 at d = 10, 1.6e-6 at 100, 3.5e-7 at 1,000, 2.3e-6 at 10,000, 1.6e-6 at
# 100,000; less than a second on one core at d = 1,000.
# Why "ahead": |x|^2 grows by 2 d t along a path, so g(|x|^2 + 2 d t) is the solution without source
# for large d; with g(|x|^2) itself, which is 0.5 at x = 0 at every d, the error at d = 1,000 was
# 4.6e-3.
# Published (SDGD): 1.1e-3, 5.3e-4, 6.9e-4, 1.6e-3 at d = 10, 100, 1,000, 10,000, backward in time
# with the data as a loss, width 1024, against a Monte Carlo reference that is 1.1e-3 off at d = 10.
# Trap: the variance of the points is 2 (T - t), not T - t as the text says.

problem "Semilinear heat equation, initial value"
dim    d = 1000
param  T = 0.3, wanted = 0.287468391604
domain x in R(d)
time   t in [0, T]
field  u(x, t)
let    g(y) = 5 / (10 + 2 * y), q = norm(x)^2, ahead = g(q + 2*d*t)
equation d(u, t) = lap(u) + (1 - u^2) / (1 + u^2)
initial  u = g(q)
ansatz   u = ahead + t * net
sample   x_i ~ normal(0, sqrt(2*(T - t)))
reference u = wanted at x_i = 0, t = T
solve {
  network    mlp(features = [t, q/d, ahead], width = 32, depth = 3, activation = tanh)
  method     exact(points = 100)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 100
  seed       0
}
