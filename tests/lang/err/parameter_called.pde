#~ E0309 7:9
dim d = 100
param T = 1
domain x in ball(d, 1)
time t in [0, T]
field u(x, t)
let a = T(1 + T)
equation d(u, t) = lap(u)
