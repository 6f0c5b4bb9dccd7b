dim d = 10
param T = 0.3
domain x in R(d)
time t in [0, T]
field u(x, t)
equation d(u, t) + lap(u) + u - u^3 = 0
terminal u = atan(max_i x_i)
terminal grad(u) = grad(atan(max_i x_i)) weight 0.05
sample x_i ~ normal(0, sqrt(2*t))
