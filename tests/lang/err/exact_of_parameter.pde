#~ E0316 6:7
dim d = 100
domain x in ball(d, 1)
field u(x)
param a = 1
exact a = 2
equation lap(u) = 1
