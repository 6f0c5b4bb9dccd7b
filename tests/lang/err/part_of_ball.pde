#~ E0522 6:19
#~ E0522 7:19
dim d = 2
domain x in ball(d, 1)
field u(x)
boundary u = 0 on x_1 = 1
boundary u = 0 on inner
equation lap(u) = 1
