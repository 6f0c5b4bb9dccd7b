#~ E0425 5:11
dim d = 100
domain x in ball(d, 1)
field u(x)
param a = b, b = 1
equation lap(u) = 1
