dim d = 3
param p = 3
domain x in box(d, -1, 1)
field u(x)
equation lap(u) + dot(grad(max_i x_i), grad(u)) = 1
boundary u = 0
