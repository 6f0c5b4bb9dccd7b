# Sine-Gordon equation backward in time, multiplied by d; wanted is the value at one point, U(0, 0).
# Shows: a change of scale stated by hand, as in the published code, where u is 5.6e-4 at d =
# 10,000; a terminal value built into the trial function, the data as a feature.
# Run:  pdec examples/parabolic_sine_gordon.pde -o x.so && pderun x.so
# Other d: --set d=100 --set wanted=0.0528094354029; 10: 0.322926385336, 1,000: 0.00558891587075,
# 10,000: 0.000562085082282, 100,000: 0.0000562405549801 (exact to all digits).
# Expect: relative error 6.4e-6 at d = 10, 6.3e-8 at 100, 3.5e-7 at 1,000, 1.4e-6 at 10,000 and at
# 100,000; less than a second on one core at d = 1,000.
# Why "ahead": see parabolic_semilinear_heat.pde. With g(|x|^2) itself, d/2 at x = 0 where U is 5.6,
# nothing is learned from d = 100 on.
# Published (SDGD): 2.3e-3, 2.3e-3, 1.7e-3, 2.0e-3 at d = 10, 100, 1,000, 10,000.
# Trap: the text does not mention the factor: U = d u solves U_t + lap(U) + d sin(U/d) = 0. Relative
# errors are the same. The variance of the paths is 2 t, not t.

problem "Sine-Gordon, terminal value, whole space, multiplied by d"
dim    d = 1000
param  T = 0.3, wanted = 0.00558891587075
domain x in R(d)
time   t in [0, T]
field  U(x, t)
let    g(y) = d * 5 / (10 + 2 * y), q = norm(x)^2, ahead = g(q + 2*d*(T - t))
equation d(U, t) + lap(U) + d * sin(U / d) = 0
terminal U = g(q)
ansatz   U = ahead + (T - t) * net
sample   x_i ~ normal(0, sqrt(2*t))
reference U = d * wanted at x_i = 0, t = 0
solve {
  network    mlp(features = [t, q/d, ahead], width = 32, depth = 3, activation = tanh)
  method     exact(points = 100)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 100
  seed       0
}
