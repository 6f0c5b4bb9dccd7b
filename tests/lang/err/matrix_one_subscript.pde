#~ E0403 6:15
dim d = 100
domain x in ball(d, 1)
field u(x)
let D_ij = delta_ij
let a = sum_i D_i * x_i
equation lap(u) = 1
