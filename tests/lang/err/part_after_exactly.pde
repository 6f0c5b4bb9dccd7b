#~ E0201 5:24
dim d = 2
domain x in box(d, 0, 1)
field u(x)
boundary u = 0 exactly on x_1 = 0
equation lap(u) = 1
