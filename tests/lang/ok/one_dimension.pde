dim d = 1
domain x in box(d, 0, 1)
field u(x)
let a = sum_{i=1..d-1} x_i * x_{i+1}
equation d2(u, x_1) = a
boundary u = 0
