#~ E0401 5:17
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_i x_j
equation lap(u) = 1
