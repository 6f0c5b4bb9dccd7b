# random semiaxes, one for each coordinate
dim    d = 9
random a_i ~ uniform(0.5, 2) for i = 1..d
domain x in ellipsoid(d, a_i)
field  u(x)
exact  u = (1 - sum_i (x_i / a_i)^2) * exp(x_1)
equation lap(u) + sum_i a_i * x_i^2 * d2(u, x_i) = g
source g from exact
boundary u = 0 exactly
