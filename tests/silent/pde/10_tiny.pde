dim d = 3
param p = 3
domain x in box(d, -1, 1)
field u(x)
equation lap(u) = 1
boundary u = 1e-300
