#~ E0310 4:9
dim d = 100
domain x in ball(d, 1)
field u(y)
equation lap(u) = 1
