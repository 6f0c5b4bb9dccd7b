#~ E0112 5:21
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1 
