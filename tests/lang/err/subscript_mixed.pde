#~ E0109 5:16
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_i x_i1
equation lap(u) = 1
