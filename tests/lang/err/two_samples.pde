#~ E0508 7:8
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
sample x ~ uniform
sample x_i ~ normal(0, 1)
