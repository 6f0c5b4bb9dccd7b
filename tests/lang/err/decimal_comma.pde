#~ E0207 5:13
dim d = 100
domain x in ball(d, 1)
field u(x)
param T = 0,3
equation lap(u) = 1
