#~ E0204 5:5
dim d = 100
domain x in ball(d, 1)
field u(x)
let sigma_max = 2
equation lap(u) = 1
