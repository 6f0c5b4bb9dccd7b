#~ E0260 6:10
dim d = 2
domain x in box(d, 0, 1)
field u(x)
equation lap(u) = 1
boundary periodic
