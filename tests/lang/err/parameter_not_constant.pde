#~ E0417 5:11
dim d = 100
domain x in ball(d, 1)
field u(x)
param k = u
equation lap(u) = 1
