#~ E0414 5:19
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_i sum_i x_i
equation lap(u) = 1
