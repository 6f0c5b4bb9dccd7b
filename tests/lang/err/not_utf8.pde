#~ E0101 6:21
dim d = 100
domain x in ball(d, 1)
field u(x)
# fine: Ã©
equation lap(u) = 1 é
