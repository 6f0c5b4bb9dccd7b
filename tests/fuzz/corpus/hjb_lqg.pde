problem "Hamilton-Jacobi-Bellman, linear-quadratic control"
dim    d = 250
param  mu = 1, T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) + sum_i d2(u, x_i) - mu * sum_i d(u, x_i)^2 = 0
let    cost(y) = log((1 + norm(y)^2) / 2)
terminal u = cost(x)
reference u = -1/mu * log(expect(w_i ~ normal(0, 1): exp(-mu * cost(x + sqrt(2*(T - t)) * w)))) samples 100000
sample x_i ~ normal(0, 1)
