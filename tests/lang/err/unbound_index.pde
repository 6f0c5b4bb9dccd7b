#~ E0401 5:18
dim d = 100
domain x in ball(d, 1)
field u(x)
equation d2(u, x_i) = 1
