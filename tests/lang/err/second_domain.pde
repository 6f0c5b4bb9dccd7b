#~ E0519 5:1
dim d = 100
domain x in ball(d, 1)
field u(x)
domain y in ball(d, 1)
equation lap(u) = 1
