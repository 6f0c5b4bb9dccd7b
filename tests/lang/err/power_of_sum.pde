#~ W1102 5:9
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_i(x_i)^2
equation lap(u) = a
