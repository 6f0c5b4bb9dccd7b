#~ E0201 3:10
dim d = 100
domain x ball(d, 1)
field u(x)
equation lap(u) = 1
