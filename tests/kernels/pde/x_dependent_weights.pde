# weights that depend on the index, u outside a sum, a cubic: issue 4's unseen problem
dim    d = 100
domain x in ball(d, 1)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-1
exact  u = (1 - norm(x)^2) * sum_{i=1..d-1} c_i * sin(x_i + cos(x_{i+1}) + x_{i+1} * cos(x_i))
equation sum_i (1 + i/d) * d2(u, x_i) + u * sum_i x_i * d(u, x_i) - u^3 = g
source g from exact
boundary u = 0 exactly
sample x ~ radial(uniform)
