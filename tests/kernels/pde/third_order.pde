# Korteweg-de Vries in every direction
dim    d = 10
domain x in box(d, -1, 1)
time   t in [0, 1]
field  u(x, t)
equation d(u, t) + 6 * u * sum_i d(u, x_i) + sum_i d3(u, x_i) = 0
initial u = sum_i cos(x_i)^2
boundary u = 0
