#~ E0501 6:1
dim d = 100
domain x in R(d)
field u(x)
equation lap(u) = 1
boundary u = 0
sample x_i ~ normal(0, 1)
