#~ E0404 5:11
dim d = 100
domain x in ball(d, 1)
field u(x)
let y = x + 1
equation lap(u) = 1
