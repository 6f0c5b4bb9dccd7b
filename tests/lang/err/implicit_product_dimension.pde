#~ E0106 5:9
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = 3d + 1
equation lap(u) = 1
