#~ E0104 5:20
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = u**3
