problem "Poisson on the unit ball, two-body exact solution"
dim    d = 1000
domain x in ball(d, 1)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-1 seed 7
exact  u = (1 - norm(x)^2) * sum_{i=1..d-1} c_i * sin(x_i + cos(x_{i+1}) + x_{i+1} * cos(x_i))
equation sum_i d2(u, x_i) = g
source g from exact
boundary u = 0
ansatz u = (1 - norm(x)^2) * net
sample x ~ radial(uniform)
