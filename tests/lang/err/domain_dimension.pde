#~ E0426 2:18
domain x in ball(1.5, 1)
field u(x)
equation lap(u) = 1
