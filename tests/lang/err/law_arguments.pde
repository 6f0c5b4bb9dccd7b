#~ E0415 6:14
dim d = 100
domain x in R(d)
field u(x)
equation lap(u) = 1
sample x_i ~ normal(1)
