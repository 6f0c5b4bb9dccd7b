#~ E0430 6:10
dim d = 10, m = 5
domain x in ball(d, 1), y in ball(m, 1)
field u(x, y)
equation lap(u) = 1
report u at x_i = 0
boundary u = 0
