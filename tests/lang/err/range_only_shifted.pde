#~ E0419 5:13
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_i x_{i+1}
equation lap(u) = 1
