#~ E0408 5:11
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = x_101
equation lap(u) = 1
