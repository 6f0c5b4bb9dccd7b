#~ E0430 8:10
#~ E0429 8:13
dim d = 100
domain x in ball(d, 1)
field u(x)
param y = 1
equation lap(u) = 1
report u at y = 0
