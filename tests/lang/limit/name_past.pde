#~ E0705 5:5
dim d = 100
domain x in ball(d, 1)
field u(x)
let aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = 1
equation lap(u) = 1
