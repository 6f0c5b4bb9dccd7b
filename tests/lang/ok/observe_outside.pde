#~ W1208 7:1
dim d = 2
domain x in box(d, 0, 1)
field u(x)
equation lap(u) = 1
boundary u = 0
observe u = 1 at x_i = 3
