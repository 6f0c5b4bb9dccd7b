problem "Hamilton-Jacobi-Bellman: full gradient, time, data met exactly"
dim    d = 20
param  T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
let    g = log((1 + norm(x)^2) / 2)
equation d(u, t) + sum_i d2(u, x_i) - sum_i d(u, x_i)^2 = 0
terminal u = g exactly
sample x_i ~ normal(0, 1)
solve {
  attack sign(steps = 20, size = 0.05, terms = 10)
}
