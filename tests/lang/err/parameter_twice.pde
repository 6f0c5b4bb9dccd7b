#~ E0302 5:10
dim d = 100
domain x in ball(d, 1)
field u(x)
let f(y, y) = 1
equation lap(u) = 1
