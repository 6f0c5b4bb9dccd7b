#~ E0107 5:12
dim d = 100
domain x in ball(d, 1)
field u(x)
param k = 2;
equation lap(u) = 1
