#~ E0431 6:17
dim d = 100
domain x in R(d)
field u(x)
equation lap(u) = 1
coordinates y = exp(x_1)
sample x_i ~ normal(0, 1)
