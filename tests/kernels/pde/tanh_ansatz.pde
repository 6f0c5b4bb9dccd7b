dim    d = 10
domain x in R(d)
time   t in [0, 1]
field  u(x, t)
equation d(u, t) = lap(u) + u - u^3
ansatz u = tanh(sum_i x_i + t * net)
initial u = tanh(sum_i x_i)
sample x_i ~ uniform(-1, 1)
