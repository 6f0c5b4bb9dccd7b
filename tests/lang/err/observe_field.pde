#~ E0521 5:14
domain x in box(2, 0, 1)
field u(x)
equation lap(u) = 1
observe  u = u at x_i = 0
