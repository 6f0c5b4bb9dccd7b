# A call on the geometric mean of 50 correlated assets: lognormal itself, so the price is a formula.
problem  "call on a geometric basket"
dim      d = 50
param    r = 0.03, vol = 0.25, rho = 0.4, K = 100, T = 1
domain   x in R(d)
time     t in [0, T]
field    V(x, t)
let      C_ij = vol^2 * ((1 - rho) * delta_ij + rho)
let      s2 = vol^2 * ((1 - rho) / d + rho), m = r - vol^2 / 2
let      F = exp(mean_i log(x_i) + (m + s2 / 2) * (T - t)), tau = s2 * (T - t) + 1e-12
let      d1 = (log(F / K) + tau / 2) / sqrt(tau), d2n = (log(F / K) - tau / 2) / sqrt(tau)
let      N(z) = (1 + erf(z / sqrt(2))) / 2
equation d(V, t) + 1/2 * sum_ij C_ij * x_i * x_j * d2(V, x_i, x_j) + r * sum_i x_i * d(V, x_i) - r * V = 0
terminal V = max(exp(mean_i log(x_i)) - K, 0)
sample   z ~ normal(0, 1)
sample   x_i ~ lognormal(log(100) + (r - vol^2/2)*t + sqrt(rho*t)*vol*z, vol*sqrt((1 - rho)*t) + 0.01)
reference V = exp(-r * (T - t)) * (F * N(d1) - K * N(d2n)) at x_i = 100, t = 0
solve {
  network mlp(features = [mean_i log(x_i/100)/0.17, 2*t - 1, mean_i log(x_i/100)/(0.17*sqrt(T - t + 0.01))])
}
