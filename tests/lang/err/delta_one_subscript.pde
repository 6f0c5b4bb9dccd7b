#~ E0403 5:15
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_i delta_i * x_i
equation lap(u) = 1
