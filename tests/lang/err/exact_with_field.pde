#~ E0521 6:11
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
exact u = u + 1
