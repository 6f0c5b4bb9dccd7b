#~ E0205 5:26
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = (1 + d)(2 + d)
