dim d = 3
param p = 3
domain x in box(d, -1, 1)
field u(x)
equation -div(norm(grad(u))^(p - 2)*grad(u)) = g
exact u = 2*x_1 + sin(x_2)
source g from exact
boundary u = exact(u)
