#~ E0516 2:14
domain x in [1, 0]
field u(x)
equation d2(u, x) = 1
