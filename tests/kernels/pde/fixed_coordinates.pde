# single coordinates beside sums
dim    d = 5
domain x in box(d, -1, 1)
field  u(x)
equation d2(u, x_1) + d(u, x_1, x_2) * u + x_d * d(u, x_d) + d3(u, x_2) * d(u, x_1, x_1, x_2)
       + d(u, x_1, x_2, x_2, x_2) - 1/2 * d(u, x_1, x_1, x_2, x_2) + sum_i x_1 * d2(u, x_i) * d(u, x_2) = x_1 * x_2
boundary u = x_1 - x_2
