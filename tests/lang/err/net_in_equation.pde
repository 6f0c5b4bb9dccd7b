#~ E0307 5:14
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(net) = u
