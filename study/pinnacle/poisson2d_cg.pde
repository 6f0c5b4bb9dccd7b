# a square without four discs of different sizes
problem  "PINNacle: Poisson 2d-CG"
domain   x in box(2, -1, 1) where (x_1 - 0.5)^2 + (x_2 - 0.5)^2 > 0.04 and (x_1 - 0.4)^2 + (x_2 + 0.4)^2 > 0.16 and (x_1 + 0.2)^2 + (x_2 + 0.7)^2 > 0.01 and (x_1 + 0.6)^2 + (x_2 - 0.5)^2 > 0.09
field    u(x)
random   a_k ~ uniform(0, 2*pi) for k = 1..500
equation -lap(u) + 64 * u = 10 * (17 + norm(x)^2) * sin(pi*x_1) * sin(4*pi*x_2)
boundary u = 0.2
observe  u = 1 at x_1 = 0.5 + 0.2 * cos(a_k), x_2 = 0.5 + 0.2 * sin(a_k) for k = 1..500
observe  u = 1 at x_1 = 0.4 + 0.4 * cos(a_k), x_2 = -0.4 + 0.4 * sin(a_k) for k = 1..500
observe  u = 1 at x_1 = -0.2 + 0.1 * cos(a_k), x_2 = -0.7 + 0.1 * sin(a_k) for k = 1..500
observe  u = 1 at x_1 = -0.6 + 0.3 * cos(a_k), x_2 = 0.5 + 0.3 * sin(a_k) for k = 1..500
