#~ E0201 5:13
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_1 x_1
equation lap(u) = 1
