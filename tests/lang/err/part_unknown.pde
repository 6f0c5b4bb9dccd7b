#~ E0522 5:19
#~ E0522 6:19
#~ E0522 7:19
domain x in [0, 1], y in [0, 1]
boundary u = 0 on x_1 = 0
boundary u = 0 on left
boundary u = 0 on u
field u(x, y)
equation lap(u) = 1
