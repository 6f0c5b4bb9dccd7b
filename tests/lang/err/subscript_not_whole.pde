#~ E0410 5:18
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_i x_{i/2}
equation lap(u) = 1
