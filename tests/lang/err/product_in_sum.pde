#~ W1103 5:11
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = 1 / sum_i x_i * 2
equation lap(u) = a
