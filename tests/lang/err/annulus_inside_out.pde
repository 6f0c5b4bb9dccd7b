#~ E0516 3:24
dim d = 100
domain x in annulus(d, 2, 1)
field u(x)
equation lap(u) = 1
