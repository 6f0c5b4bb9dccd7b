# Borrowing costs more than lending earns: the standard test of a nonlinear price; 21.299 is what the literature agrees on.
problem  "different rates for borrowing and lending"
dim      d = 100
param    T = 0.5, m = 0.06, vol = 0.2, rl = 0.04, rb = 0.06
domain   x in R(d)
time     t in [0, T]
field    V(x, t)
let      cash = V - sum_i x_i * d(V, x_i)
equation d(V, t) + vol^2 / 2 * sum_i x_i^2 * d2(V, x_i) - rl * max(cash, 0) + rb * max(-cash, 0) = 0
terminal V = max(max_i x_i - 120, 0) - 2 * max(max_i x_i - 150, 0)
sample   x_i ~ lognormal(log(100) + (m - vol^2/2)*t, vol*sqrt(t) + 0.005)
reference V = 21.299 at x_i = 100, t = 0
solve {
  network mlp(features = [2*t/T - 1, mean_i log(x_i/100)/0.02, log(mean_i exp(12*(log(x_i/100)/0.14 - 2)/3)), log(mean_i (x_i/100)^20), log(mean_i (x_i/100)^40), sqrt(T - t + 0.001)*4])
}
