# the pressure is known up to a constant, which one point settles
problem  "PINNacle: NS 2d-C, a cavity whose lid moves"
param    nu = 1/100
domain   x in box(2, 0, 1)
field    u(x), v(x), p(x)
equation u * d(u, x_1) + v * d(u, x_2) + d(p, x_1) = nu * lap(u)
equation u * d(v, x_1) + v * d(v, x_2) + d(p, x_2) = nu * lap(v)
equation d(u, x_1) + d(v, x_2) = 0
boundary u = 4 * x_1 * (1 - x_1) on x_2 = 1
boundary u = 0 on x_1 = 0 or x_1 = 1 or x_2 = 0
boundary v = 0
observe  p = 0 at x_i = 0
