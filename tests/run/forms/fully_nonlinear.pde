problem "Nonlinear in second derivatives"
dim d = 6
domain x in ball(d, 1)
field u(x)
exact u = norm(x)^2 / 2
equation sum_i d2(u, x_i)^2 + sum_{i<j} d2(u, x_i, x_j)^2 = g
source g from exact
boundary u = 0.5
