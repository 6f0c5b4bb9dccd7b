#~ E0516 4:12
dim d = 100
domain x in ball(d, 1)
time t in [1, 0]
field u(x, t)
equation d(u, t) = lap(u)
