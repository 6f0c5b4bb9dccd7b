dim d = 3
param p = 3
domain x in box(d, -1, 1)
time t in [0, 1]
field u(x, t)
equation d(u, t) = (1 + x_1)*lap(u) + g
exact u = sin(x_1)*x_2*exp(-t)
source g from exact
initial u = exact(u)
boundary u = exact(u)
