#~ E0519 5:1
dim d = 100
domain x in ball(d, 1)
time t in [0, 1]
time s in [0, 2]
field u(x, t)
equation d(u, t) = lap(u)
initial u = 1
