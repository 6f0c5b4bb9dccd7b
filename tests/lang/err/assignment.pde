#~ E0105 5:9
dim d = 100
domain x in ball(d, 1)
field u(x)
param k := 2
equation lap(u) = 1
