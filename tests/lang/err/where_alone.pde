#~ E0201 2:39
domain x in box(2, 0, 1) where norm(x)
field u(x)
equation lap(u) = 1
boundary u = 0
