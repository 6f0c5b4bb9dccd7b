#~ E0204 5:7
dim d = 100
domain x in ball(d, 1)
field u(x)
param sigma_max = 2
equation lap(u) = 1
