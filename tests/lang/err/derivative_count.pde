#~ E0413 5:17
dim d = 100
domain x in ball(d, 1)
field u(x)
equation sum_ij d4(u, x_i, x_j) = 1
