#~ E0416 2:9
dim d = 2.5
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
