# Coordinates by name: three prices, each correlated with each other one.
problem  "error bars: named prices"
dim      d = 3
param    s = 1, a = 0.4, b = 0.3, c = 0.5, ab = 0.6, ac = -0.5, bc = 0.1, T = 1
domain   x in R(d)
time     t in [0, T]
field    V(x, t)
sample   x_i ~ lognormal(0, 0.3)
exact    V = log(1 + x_1^2 + x_2 * x_3) * (2 - t)
equation s * (d(V, t) + a^2/2 * x_1^2 * d2(V, x_1) + b^2/2 * x_2^2 * d2(V, x_2) + c^2/2 * x_3^2 * d2(V, x_3)
         + a*b*ab * x_1*x_2 * d(V, x_1, x_2) + a*c*ac * x_1*x_3 * d(V, x_1, x_3) + b*c*bc * x_2*x_3 * d(V, x_2, x_3)) = g
source   g from exact
terminal V = exact(V)
