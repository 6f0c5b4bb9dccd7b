# max, min, prod, mean and argument-dependent data beside the operator
dim    d = 11
domain x in box(d, 0.5, 1.5)
field  u(x)
random c_i ~ uniform(1, 2)
equation lap(u) + (max_i c_i * x_i) * u = prod_i x_i + (min_i x_i) * (mean_i x_i^2) + sum_i c_i * max(x_i, 1 / c_i) - min(u, 2) + g
exact  u = prod_i cos(c_i * x_i)
source g from exact
boundary u = exact(u)
report u at x_i = 1
