problem "Semilinear heat equation, initial value"
dim    d = 1000
param  T = 0.3
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) = lap(u) + (1 - u^2) / (1 + u^2)
initial  u = 5 / (10 + 2 * norm(x)^2)
ansatz   u = 5 / (10 + 2 * norm(x)^2) + t * net
sample   x_i ~ normal(0, sqrt(2*(T - t)))
reference u = 0.287468392 at x_i = 0, t = T
