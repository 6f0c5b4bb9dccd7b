domain x in box(2, 0, 1)
time t in [0, 1]
field u(x, t)
equation d(u, t, x_2) + d4(u, x_1, x_1, x_1, x_2) + 3 * d(u, x_1, x_2) * d(u, x_1) - d2(u, x_1) = 0
initial u = sin(x_1) * x_2
boundary u = 0
report u(x, t) at x_1 = 0.5, x_2 = 0.25, t = 1
