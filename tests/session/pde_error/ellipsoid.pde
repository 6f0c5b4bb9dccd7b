# Elliptic with exit from an ellipsoid: other semiaxes and another diffusion along each coordinate.
problem  "error bars: ellipsoid"
dim      d = 2
param    s = 1, k = 0, c = 0
random   a_i ~ uniform(0.6, 1.5) for i = 1..d seed 5
domain   x in ellipsoid(d, a_i)
field    u(x)
exact    u = cos(x_1 + 1/2) + 1/d * sum_i x_i^2
equation s * (sum_i (1 + i/d) * d2(u, x_i) + k * sum_i x_i * d(u, x_i) + c * u) = g
source   g from exact
boundary u = exact(u)
