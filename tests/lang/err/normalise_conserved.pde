#~ W1104 9:1
dim d = 6
domain x in R(d)
time t in [0, 1]
field p(x, t)
let F_i = x_i - x_i^3
equation d(p, t) = -sum_i d(F_i * p, x_i) + 1/2 * sum_i d2((1 + x_i^2 / 4) * p, x_i)
initial p = exp(-norm(x)^2 / 2)
normalise p : integral(x) = 1
sample x_i ~ normal(0, 1)
