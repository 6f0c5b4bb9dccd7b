#~ E0316 4:7
domain x in box(3, 0, 1)
field u(x)
exact u_1 = x_1
equation lap(u) = 0
boundary u = 0
