#~ E0406 5:13
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sin("x")
equation lap(u) = 1
