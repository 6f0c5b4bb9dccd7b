#~ E0205 6:21
dim d = 100
domain x in ball(d, 1)
field u(x)
param k = 2
equation lap(u) = k u
