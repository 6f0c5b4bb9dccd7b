dim    d = 9
param  a = 1, b = 2.5
domain x in annulus(d, a, b)
field  u(x)
exact  u = (norm(x)^2 - a^2) * (b^2 - norm(x)^2) * log(norm(x))
equation lap(u) + sum_i x_i^2 * d2(u, x_i) = g
source g from exact
boundary u = 0 exactly
