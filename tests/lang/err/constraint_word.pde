#~ E0201 4:14
domain x in box(2, 0, 1)
field u(x)
constraint u = 0
equation lap(u) = 1
boundary u = 0
