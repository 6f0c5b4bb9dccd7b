#~ E0515 3:21
dim d = 100
domain x in ball(d, 0)
field u(x)
equation lap(u) = 1
