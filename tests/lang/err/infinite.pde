#~ E0319 5:13
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = 1 / inf
equation lap(u) = 1
