#~ E0260 4:29
domain x in box(2, 0, 1)
field u(x)
equation lap(u) = 2 * if(x_1, 1, 2)
boundary u = 0
