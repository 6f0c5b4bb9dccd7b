# Margrabe's option to exchange one asset for another: a kink along a line.
problem  "exchange of two assets"
dim      d = 2
param    v1 = 0.3, v2 = 0.2, rho = 0.5, T = 1
domain   x in R(d)
time     t in [0, T]
field    V(x, t)
let      s2 = v1^2 + v2^2 - 2 * rho * v1 * v2, tau = s2 * (T - t) + 1e-12
let      N(z) = (1 + erf(z / sqrt(2))) / 2, l = log(x_1 / x_2)
equation d(V, t) + v1^2 / 2 * x_1^2 * d2(V, x_1) + v2^2 / 2 * x_2^2 * d2(V, x_2) + rho * v1 * v2 * x_1 * x_2 * d(V, x_1, x_2) = 0
terminal V = max(x_1 - x_2, 0)
sample   z ~ normal(0, 1)
sample   x_i ~ lognormal(sqrt(rho*t)*0.25*z, 0.25*sqrt((1-rho)*t) + 0.03)
reference V = x_1 * N((l + tau / 2) / sqrt(tau)) - x_2 * N((l - tau / 2) / sqrt(tau)) at x_i = 1, t = 0
solve {
  network mlp(features = [log(x_1/x_2)/0.4, log(x_1*x_2)/0.4, 2*t - 1, log(x_1/x_2)/(sqrt(s2*(T - t) + 0.002))])
}
