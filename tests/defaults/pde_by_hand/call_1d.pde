# A European call, the first thing a quant tries; 10.450584 is the Black-Scholes formula.
problem  "European call on one asset"
dim      d = 1
param    r = 0.05, vol = 0.2, K = 100, T = 1
domain   x in R(d)
time     t in [0, T]
field    V(x, t)
equation d(V, t) + vol^2 / 2 * sum_i x_i^2 * d2(V, x_i) + r * sum_i x_i * d(V, x_i) - r * V = 0
terminal V = max(x_1 - K, 0)
sample   x_i ~ lognormal(log(100) + (r - vol^2/2)*t, vol*sqrt(t) + 0.02)
reference V = 10.450584 at x_i = 100, t = 0
solve {
  network mlp(features = [log(x_1/100)/0.3, 2*t - 1, log(x_1/K)/(vol*sqrt(T - t + 0.01)), K*sqrt((T-t+0.0001))*exp(-log(x_1/K)^2/(2*vol^2*(T-t+0.002)))/30])
}
