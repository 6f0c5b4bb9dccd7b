#~ E0305 5:19
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = exp^u
