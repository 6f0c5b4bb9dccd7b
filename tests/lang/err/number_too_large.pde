#~ E0111 5:11
dim d = 100
domain x in ball(d, 1)
field u(x)
param k = 1e999
equation lap(u) = 1
