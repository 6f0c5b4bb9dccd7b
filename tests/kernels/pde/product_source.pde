# the derivatives of a product leave factors out
dim    d = 6
domain x in box(d, 0.5, 1.5)
field  u(x)
random c_i ~ uniform(1, 2)
exact  u = prod_i sin(c_i * x_i)
equation sum_i x_i * d2(u, x_i) + u^2 = g
source g from exact
boundary u = exact(u)
