# Mixed derivatives written one by one: a price and its variance.
problem  "error bars: a matrix of two coordinates"
param    s = 1, c = -1, rho = -0.7, xi = 0.3, T = 1
domain   y in R(1), v in [0.1, 2]
time     t in [0, T]
field    u(y, v, t)
exact    u = exp(-t) * (cos(y_1) + y_1 * v + v^2)
sample   y_i ~ normal(0, 1)
equation s * (d(u, t) + v/2 * d2(u, y_1) + rho * xi * v * d(u, y_1, v) + xi^2 * v/2 * d2(u, v) + (1 - v) * d(u, v) + c * u) = g
source   g from exact
boundary u = h
source   h from exact
terminal u = h2
source   h2 from exact
