#~ E0515 3:26
dim d = 100
domain x in ellipsoid(d, 0)
field u(x)
equation lap(u) = 1
