#~ E0521 2:32
domain x in box(2, 0, 1) where u > 0
field u(x)
equation lap(u) = 1
boundary u = 0
