#~ E0304 5:9
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum(x)
equation lap(u) = 1
