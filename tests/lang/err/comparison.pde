#~ E0105 5:17
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) == 1
