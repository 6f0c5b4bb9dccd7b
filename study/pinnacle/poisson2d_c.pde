# a square without four discs
problem  "PINNacle: Poisson 2d-C"
domain   x in box(2, -1/2, 1/2) where (abs(x_1) - 0.3)^2 + (abs(x_2) - 0.3)^2 > 0.01
field    u(x)
random   a_k ~ uniform(0, 2*pi) for k = 1..500
equation lap(u) = 0
boundary u = 1
observe  u = 0 at x_1 = 0.3 + 0.1 * cos(a_k), x_2 = 0.3 + 0.1 * sin(a_k) for k = 1..500
observe  u = 0 at x_1 = -0.3 + 0.1 * cos(a_k), x_2 = 0.3 + 0.1 * sin(a_k) for k = 1..500
observe  u = 0 at x_1 = 0.3 + 0.1 * cos(a_k), x_2 = -0.3 + 0.1 * sin(a_k) for k = 1..500
observe  u = 0 at x_1 = -0.3 + 0.1 * cos(a_k), x_2 = -0.3 + 0.1 * sin(a_k) for k = 1..500
