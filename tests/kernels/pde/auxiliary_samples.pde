# points that depend on an auxiliary number
dim    d = 10
domain x in R(d)
time   t in [0, 1]
field  u(x, t)
equation d(u, t) + lap(u) - sum_i d(u, x_i)^2 = 0
terminal u = log((1 + norm(x)^2) / 2)
sample s ~ uniform(0, 1)
sample x_i ~ normal(i / d, sqrt(1 + 2 * t * s))
test   x_i ~ normal(0, 1)
