problem "Allen-Cahn, terminal value, whole space"
dim    d = 100
param  T = 0.3
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) + lap(u) + u - u^3 = 0
terminal u = atan(max_i x_i)
sample x_i ~ normal(0, sqrt(2*t))          # where the path X_t lives
reference u = 1.044246 at x_i = 0, t = 0     # d = 100, see ../reference/values.json
