problem "box exactly, x-dependent matrix"
dim d = 8
domain x in box(d, 0, 1)
field u(x)
exact u = (prod_i sin(pi * x_i)) * (1 + sum_i x_i)
equation sum_ij (delta_ij + x_i * x_j / d) * d2(u, x_i, x_j) - u^2 = g
source g from exact
boundary u = 0 exactly
