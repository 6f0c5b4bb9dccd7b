# Degenerate at x = 0, noise that grows with x, correlated.
problem  "error bars: prices"
dim      d = 2
param    s = 1, r = 0.1, v = 0.4, rho = 0.3, T = 1
domain   x in R(d)
time     t in [0, T]
field    V(x, t)
sample   x_i ~ lognormal(0, 0.3)
exact    V = log(1 + sum_i x_i^2 / d) * (2 - t)
equation s * (d(V, t) + 1/2 * sum_ij v^2 * (rho + (1 - rho) * delta_ij) * x_i * x_j * d2(V, x_i, x_j)
         + r * sum_i x_i * d(V, x_i) - r * V) = g
source   g from exact
terminal V = exact(V)
