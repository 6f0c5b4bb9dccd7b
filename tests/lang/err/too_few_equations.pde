#~ E0506 4:13
dim d = 100
domain x in ball(d, 1)
field u(x), v(x)
equation lap(u) = v
