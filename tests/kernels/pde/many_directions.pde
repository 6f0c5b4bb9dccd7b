# many single directions
dim    d = 24
domain x in box(d, 0, 1)
field  u(x)
equation d2(u, x_1) + d2(u, x_2) + d(u, x_1, x_2) + d(u, x_1, x_3) + d(u, x_1, x_4) + d(u, x_1, x_5) + d(u, x_2, x_3)
       + d(u, x_2, x_4) + d(u, x_2, x_5) + d(u, x_3, x_4) = u
boundary u = 0
