#~ E0302 6:5
dim d = 100
domain x in ball(d, 1)
field u(x)
param a = 1
let a = 2
equation lap(u) = 1
