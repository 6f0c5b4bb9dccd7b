#~ E0414 7:13
dim d = 100
param T = 1
domain x in ball(d, 1)
time t in [0, T]
field u(x, t)
let a = sum_t x_t
equation d(u, t) = lap(u)
