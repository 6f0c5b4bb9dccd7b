dim d = 10
param T = 0.3
domain x in R(d)
time t in [0, T]
field u(x, t)
equation d(u, t) + lap(u) + u - u^3 = 0
terminal u = atan(x_2 + max_i min(x_i, x_1^2))
terminal grad(u) = grad(atan(x_2 + max_i min(x_i, x_1^2))) weight 0.05
sample x_i ~ normal(0, sqrt(2*t))
