#~ E0708 5:16
dim d = 100
domain x in ball(d, 1)
field u(x)
equation sum_i d9(u, x_i) = 1
