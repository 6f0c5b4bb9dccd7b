dim d = 100
domain x in ball(d, 1)
field u(x)
let aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = 1
equation lap(u) = 1
