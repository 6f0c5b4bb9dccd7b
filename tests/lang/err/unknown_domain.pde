#~ E0311 3:13
dim d = 100
domain x in sphere(d, 1)
field u(x)
equation lap(u) = 1
