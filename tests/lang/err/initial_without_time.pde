#~ E0502 6:1
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
initial u = 0
