#~ E0430 6:10
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
report u at x_1 = 0
