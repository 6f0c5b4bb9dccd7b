#~ E0427 6:14
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
sample x_i ~ radial(uniform)
