#~ E0206 5:25
dim d = 100
domain x in ball(d, 1)
field u(x)
let a = sum_{i=1..d-1} x[i+1]
equation lap(u) = 1
