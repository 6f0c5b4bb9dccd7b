problem "Biharmonic equation on the annulus 1 < |x| < 2, three-body exact solution"
dim    d = 200
domain x in annulus(d, 1, 2)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-2
exact  u = (1 - norm(x)^2) * (4 - norm(x)^2) * sum_{i=1..d-2} c_i * exp(x_i * x_{i+1} * x_{i+2})
equation sum_ij d4(u, x_i, x_i, x_j, x_j) = g
source g from exact
boundary u = 0 exactly
boundary d(u, outward) = d(exact(u), outward)
sample x ~ radial(uniform)
