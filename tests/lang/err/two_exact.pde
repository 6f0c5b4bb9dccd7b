#~ E0508 7:7
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
exact u = 1
exact u = 2
