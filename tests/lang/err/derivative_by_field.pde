#~ E0411 5:24
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = d(u, u)
