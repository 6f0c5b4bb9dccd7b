#~ E0403 7:15
dim d = 100
param T = 1
domain x in ball(d, 1)
time t in [0, T]
field u(x, t)
let a = sum_i T_i * x_i
equation d(u, t) = lap(u)
