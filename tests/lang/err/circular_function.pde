#~ E0306 5:12
dim d = 100
domain x in ball(d, 1)
field u(x)
let f(y) = f(y) + 1
equation lap(u) = 1
