# A price whose variance is a coordinate, correlated with it; a third one diffuses alone.
problem  "error bars: a variance that moves"
dim      d = 3
param    s = 1, r = 0.1, xi = 0.4, rho = -0.7, T = 1
domain   x in R(d)
time     t in [0, T]
field    V(x, t)
sample   x_i ~ lognormal(0, 0.2)
exact    V = log(1 + x_1^2 + x_2 * x_1 + x_3^2) * (2 - t)
equation s * (d(V, t) + x_2/8 * x_1^2 * d2(V, x_1) + xi^2/2 * x_2^2 * d2(V, x_2) + rho*xi/2 * x_2^(3/2) * x_1 * d(V, x_1, x_2)
         + 0.1 * d2(V, x_3) + r * x_1 * d(V, x_1) + (1 - x_2) * d(V, x_2)) = g
source   g from exact
terminal V = exact(V)
