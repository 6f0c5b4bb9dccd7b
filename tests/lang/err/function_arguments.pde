#~ E0415 6:19
dim d = 100
domain x in ball(d, 1)
field u(x)
let f(y) = norm(y)
equation lap(u) = f(x, x)
