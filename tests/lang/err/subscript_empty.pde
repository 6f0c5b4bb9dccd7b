#~ E0109 5:10
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = x_ + 1
equation lap(u) = 1
