#~ E0303 5:7
dim d = 100
domain x in ball(d, 1)
field u(x)
param pi = 3
equation lap(u) = 1
