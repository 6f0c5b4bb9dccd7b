# functions of an index that the next coordinate needs again and that are the same at every point
dim    d = 6
domain x in annulus(d, 1, 2)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-2
exact  u = sum_{i=1..d-2} c_i * exp(x_i * x_{i+1} * x_{i+2})
equation sum_i d4(u, x_i) + 2 * sum_{i<j} d4(u, x_i, x_i, x_j, x_j) = g
source g from exact
boundary u = exact(u)
boundary d(u, outward) = d(exact(u), outward)
