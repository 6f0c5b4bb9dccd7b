#~ E0211 5:18
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) =
boundary u = 0
