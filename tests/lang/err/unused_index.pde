#~ W1101 5:13
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_i 3
equation lap(u) = a
