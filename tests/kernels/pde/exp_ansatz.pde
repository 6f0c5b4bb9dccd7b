# a change of unknown: the residual is divided by p
dim    d = 14
param  T = 1
domain x in R(d)
time   t in [0, T]
field  p(x, t)
random D_i ~ uniform(0.5, 1)
equation d(p, t) = sum_i d(x_i * p, x_i) + sum_i D_i * d2(p, x_i)
ansatz p = exp(net - norm(x)^2 / 2)
initial log(p) = -norm(x)^2
sample x_i ~ normal(0, 1 + t)
