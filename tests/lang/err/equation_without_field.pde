#~ E0517 6:1
dim d = 100
domain x in ball(d, 1)
field u(x)
param k = 2
equation k = 2
equation lap(u) = 1
