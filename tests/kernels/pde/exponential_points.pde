dim    d = 5
param  rate = 2
domain x in R(d)
time   t in [0, 1]
field  u(x, t)
equation d(u, t) = lap(u)
sample s ~ rademacher
sample x_i ~ exponential(rate * i * (2 + s) * (1 + t))
test   x ~ normal(0, rate)
