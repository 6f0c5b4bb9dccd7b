# A European call, the first thing a quant tries; 10.450584 is the Black-Scholes formula.
problem  "European call on one asset"
dim      d = 1
param    r = 0.05, vol = 0.2, K = 100, T = 1
domain   x in R(d)
time     t in [0, T]
field    V(x, t)
equation d(V, t) + vol^2 / 2 * sum_i x_i^2 * d2(V, x_i) + r * sum_i x_i * d(V, x_i) - r * V = 0
terminal V = max(x_1 - K, 0)
sample   x_i ~ lognormal(log(100), 0.3)
reference V = 10.450584 at x_i = 100, t = 0
