#~ E0423 5:9
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = x^2
equation lap(u) = 1
