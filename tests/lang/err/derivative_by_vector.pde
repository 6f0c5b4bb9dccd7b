#~ E0412 5:16
dim d = 100
domain x in ball(d, 1)
field u(x)
equation d2(u, x) = 1
