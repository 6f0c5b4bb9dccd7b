#~ E0414 5:8
dim d = 100
domain x in ball(d, 1)
field u(x)
let D_ii = 1
equation lap(u) = 1
