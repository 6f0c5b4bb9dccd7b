dim d = 3
param p = 3
domain x in box(d, -1, 1)
field u(x)
equation lap(u) - (sum_i (0.1 + p)*(d(u, x_i)^2 + norm(grad(u))*x_1)) = g
exact u = 2*x_1 + sin(x_2)
source g from exact
boundary u = exact(u)
