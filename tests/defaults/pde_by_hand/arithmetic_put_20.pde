# A put on the arithmetic mean of twenty independent assets; no formula, so the answer is a mean over samples.
problem  "put on an arithmetic basket"
dim      d = 20
param    r = 0.04, vol = 0.4, K = 1, T = 1
domain   x in R(d)
time     t in [0, T]
field    V(x, t)
equation d(V, t) + vol^2 / 2 * sum_i x_i^2 * d2(V, x_i) + r * sum_i x_i * d(V, x_i) - r * V = 0
terminal V = max(K - mean_i x_i, 0)
sample   x_i ~ lognormal((r - vol^2/2)*t, vol*sqrt(t) + 0.02)
reference V = exp(-r * T) * expect(w_i ~ normal(0, 1): max(K - mean_i (x_i * exp((r - vol^2 / 2) * T + vol * sqrt(T) * w_i)), 0)) at x_i = 1, t = 0 samples 1000000
solve {
  network mlp(features = [(mean_i x_i - 1)/0.1, 2*t - 1, (mean_i x_i - 1)/(0.1*sqrt(T - t + 0.01))])
}
