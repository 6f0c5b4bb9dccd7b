#~ E0515 6:23
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
boundary u = 0 weight -1
