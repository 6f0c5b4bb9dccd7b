#~ E0432 6:15
dim d = 100
domain x in ball(d, 1)
time t in [0, 1]
field u(x)
equation d(u, t) = lap(u)
