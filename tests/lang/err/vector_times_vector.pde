#~ E0405 5:11
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = x * x
equation lap(u) = 1
