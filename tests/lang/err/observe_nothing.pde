#~ E0520 5:1
domain x in box(2, 0, 1)
field u(x)
equation lap(u) = 1
observe  2 = 1 at x_i = 0
