#~ E0260 6:16
dim d = 2
domain x in box(d, 0, 1)
field u(x)
equation lap(u) = 1
boundary u = 0 on x_1 = 0
