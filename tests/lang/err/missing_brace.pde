#~ E0202 5:23
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_{i=1..d-1 x_i
equation lap(u) = 1
