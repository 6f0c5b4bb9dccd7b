#~ E0430 5:16
domain x in box(2, 0, 1)
field u(x)
equation lap(u) = 1
observe  u = 1 at x_1 = 0
