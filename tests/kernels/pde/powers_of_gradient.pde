# a Hamiltonian that is no square: the full gradient by one sweep
dim    d = 30
param  T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) + sum_i d2(u, x_i) - sum_i abs(d(u, x_i))^1.75 * (1 + x_i^2) + sum_{i=2..d-1} cos(t * d(u, x_i)) = 0
terminal u = log(1 + norm(x)^2)
sample x_i ~ normal(0, sqrt(1 + t))
