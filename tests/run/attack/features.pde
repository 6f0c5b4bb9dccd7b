problem "features, time"
dim    d = 10
param  T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) + sum_i (1 + t * x_i^2) * d2(u, x_i) - sum_i d(u, x_i)^2 + t * u = 0
terminal u = norm(x)^2 / d
sample x_i ~ normal(0, 1)
solve {
  network mlp(features = [x/sqrt(d), t, norm(x)^2/d, sum_i sin(x_i)])
  attack sign(steps = 3)
}
