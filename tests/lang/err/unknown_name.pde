#~ E0301 6:19
dim d = 100
domain x in ball(d, 1)
field u(x)
param kappa = 2
equation lap(u) = kapa * u
