# Black-Scholes-Barenblatt equation (BSB) with a quadratic payoff.
# Shows: second derivatives with coefficients x_i^2 (sampled: no Gram matrix), a first-order sum
# along a dense direction, a terminal condition met by an ansatz that multiplies the data.
# Run:  pdec examples/black_scholes_barenblatt.pde -o x.so && pderun x.so
# Expect: relative L2 error 3.5e-6 (a fitted constant times (T - t) |x|^2 has 2.4e-3), a quarter of a
# second on one core.
# Published (STDE code): x ~ N(0, I), t ~ U(0, 1), (T - t) NN g + g with g = |x|^2, 16 terms, 100
# points, network [d+1,128,128,128,1], 10,000 Adam steps, rate linear from 1e-3 to 0.

problem "Black-Scholes-Barenblatt"
dim    d = 1000
param  s = 0.4, k = 0.05, T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) + s^2/2 * sum_i x_i^2 * d2(u, x_i) - k * (u - sum_i x_i * d(u, x_i)) = 0
exact    u = exp((k + s^2) * (T - t)) * norm(x)^2
terminal u = norm(x)^2
ansatz   u = (T - t) * net * norm(x)^2 + norm(x)^2
sample   x_i ~ normal(0, 1)
solve {
  network    mlp(features = [t, norm(x)^2/d], width = 32, depth = 3, activation = tanh)
  method     exact(points = 100)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 100
  seed       0
}
