# Sine-Gordon equation backward in time, multiplied by d; wanted is the value at one point, U(0, 0).
# Shows: a change of scale stated by hand, as in the published code, where u is 5.6e-4 at d =
# 10,000.
# Run:  pdec examples/parabolic_sine_gordon.pde -o x.so && pderun x.so
# Published (SDGD code): paths X_n from X_0 = 0 with 20 steps of 0.015, 100 paths, algorithm 2 with
# 10 + 10 terms, network [d+1,1024,1024,1024,1], 10,000 Adam steps of rate 1e-3 * 0.9995^n; relative
# to the mean residual, weight 1 on the value at the far end of time and 0.05 on its gradient.
# Here: times uniform and the law of X_t; no loss on the gradient (a condition for every x_i is not
# in the language); a narrower network for two cores.
# Trap: the text does not mention the factor: U = d u solves U_t + lap(U) + d sin(U/d) = 0. Relative
# errors are the same. The variance of the paths is 2 t, not t.
# Reference U(0, 0) / d: d = 10: 0.322926385, 100: 0.0528094354, 1,000: 0.00558891587, 10,000:
# 0.000562085082, 100,000: 0.0000562405550.

problem "Sine-Gordon, terminal value, whole space, multiplied by d"
dim    d = 1000
param  T = 0.3
domain x in R(d)
time   t in [0, T]
field  U(x, t)
equation d(U, t) + lap(U) + d * sin(U / d) = 0
terminal U = d * 5 / (10 + 2 * norm(x)^2) weight 1
sample x_i ~ normal(0, sqrt(2*t))
reference U = d * 0.00558891587 at x_i = 0, t = 0    # at d = 1000
solve {
  network    mlp(width = 128, depth = 4, activation = tanh)
  method     sdgd(algorithm = 2, terms = 10, second = 10, points = 100)
  optimiser  adam(rate = exponential(1e-3, 0.9995))
  iterations 10000
  seed       0
}
