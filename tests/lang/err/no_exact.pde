#~ E0318 6:14
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
boundary u = exact(u)
