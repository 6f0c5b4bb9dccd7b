# Fokker-Planck equation with a nonlinear drift that drives a density apart into two humps.
# Shows: a drift that is not linear, an auxiliary random sign in the sampling law, log p learned and
# scored, a density whose mass is known.
# Run:  pdec examples/fokker_planck_nonlinear.pde -o x.so && pderun x.so
# Expect: relative L2 error of log p 1.6e-3 (a fitted constant times t has 0.12), 3 seconds on one core.
# The check: h = cosh(k.x) solves lap(h) = |k|^2 h, so that the process with drift 2 grad log h is the
# heat flow weighted with h (Benes' drift): from h times a normal density of variance s it goes to h
# times one of variance s + 2 t, the even mixture of N(+-(s + 2 t) k, (s + 2 t) I). Its mass is 1 at
# all times, since the mean of cosh(k.x) over N(0, v I) is exp(v |k|^2 / 2).
# Not published in this form. dX = F dt + sqrt(2) dW.

problem "Fokker-Planck, nonlinear drift, two humps"
dim    d = 100
param  kappa = 1.2, s = 0.5, T = 1
domain x in R(d)
time   t in [0, T]
field  p(x, t)
let    z = kappa * sum_i x_i / sqrt(d)                 # k.x, with |k| = kappa
let    F_i = 2 * kappa / sqrt(d) * tanh(z)
let    logh = log(cosh(z))
let    logp(v) = logh - v * kappa^2 / 2 - 1/2 * (d * log(2*pi*v) + norm(x)^2 / v)
equation d(p, t) = -sum_i d(F_i * p, x_i) + lap(p)
initial  p = exp(logp(s))
ansatz   p = exp(logp(s) + t * net)
exact    p = exp(logp(s + 2*t))
sample   b ~ rademacher()
sample   x_i ~ normal(b * (s + 2*t) * kappa / sqrt(d), sqrt(s + 2*t))
solve {
  network    mlp(features = [x/sqrt(d), t, norm(x)^2/d, z],
                 width = 32, depth = 3, activation = tanh)
  method     exact(points = 100)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 300
  seed       0
}
