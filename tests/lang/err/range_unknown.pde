#~ E0419 5:13
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_k sqrt(k)
equation lap(u) = 1
