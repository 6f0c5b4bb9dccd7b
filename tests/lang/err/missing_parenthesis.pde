#~ E0202 5:28
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = sin(u + 1
boundary u = 0
