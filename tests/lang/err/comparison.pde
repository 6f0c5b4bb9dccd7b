#~ E0260 5:13
dim d = 2
domain x in box(d, 0, 1)
field u(x)
let k = x_1 < 1/2
equation lap(u) = k
boundary u = 0
