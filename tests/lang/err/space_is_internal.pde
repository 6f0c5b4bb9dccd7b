#~ E0301 5:14
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = norm(space)
equation lap(u) = 1
