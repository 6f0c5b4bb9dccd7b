# Plane elasticity with a displacement: Navier's equations for each entry.
problem  "plane elasticity"
param    mu = 1, lambda = 2
domain   x in box(2, 0, 1)
field    u_k(x) for k = 1..2
let      a = sin(x_1) * x_2^2, b = cos(x_2) * x_1
equation mu * lap(u_1) + (lambda + mu) * d(div(u), x_1) = sin(x_1) * (2 - x_2^2) - 3 * (sin(x_1) * x_2^2 + sin(x_2))
equation mu * lap(u_2) + (lambda + mu) * d(div(u), x_2) = -cos(x_2) * x_1 + 3 * (2 * cos(x_1) * x_2 - cos(x_2) * x_1)
boundary u_1 = a on x_1 = 0 or x_1 = 1
boundary u_2 = b on x_1 = 0 or x_1 = 1
boundary mu * (d(u_1, x_2) + d(u_2, x_1)) = 2 * sin(x_1) * x_2 + cos(x_2) on x_2 = 0 or x_2 = 1
boundary (lambda + 2*mu) * d(u_2, x_2) + lambda * d(u_1, x_1) = -4 * sin(x_2) * x_1 + 2 * cos(x_1) * x_2^2 on x_2 = 0 or x_2 = 1
reference u_1 = a
reference u_2 = b
