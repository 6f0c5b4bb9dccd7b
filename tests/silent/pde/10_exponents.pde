dim d = 3
param p = 3
domain x in box(d, -1, 1)
field u(x)
equation sum_i exp(x_i)*(sum_j exp(x_j)*d(u, x_i, x_j)) = g
exact u = sin(x_1)*x_2
source g from exact
boundary u = exact(u)
