#~ E0212 7:13
dim d = 100
param T = 1
domain x in ball(d, 1)
time t in [0, T]
field u(x, t)
equation d(u) = lap(u)
