#~ E0402 5:23
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = sin(x)
