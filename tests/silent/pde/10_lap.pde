dim d = 3
param p = 3
domain x in box(d, -1, 1)
field u(x)
equation u - lap((1 + x_1)*u) = g
exact u = sin(x_1)*x_2
source g from exact
boundary u = exact(u)
