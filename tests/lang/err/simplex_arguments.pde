#~ E0415 3:13
dim d = 100
domain x in simplex(d, 1)
field u(x)
equation lap(u) = 1
