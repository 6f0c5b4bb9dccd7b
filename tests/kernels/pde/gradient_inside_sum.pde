# coefficients made of the unknown's own derivatives, term by term
dim    d = 20
domain x in box(d, -1, 1)
field  u(x)
equation sum_i d(u, x_i)^2 * d2(u, x_i) + sum_i exp(-u) * d(u, x_i) * d2(u, x_i) * x_i - sin(u) * norm(x)^2 = 0
boundary u = prod_i cos(x_i)
sample x ~ uniform
