#~ E0306 5:20
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = b + 1, b = a - 1
equation lap(u) = 1
