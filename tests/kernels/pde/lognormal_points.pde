dim    d = 5
param  m = 0.2, s = 0.4
domain x in R(d)
field  u(x)
equation lap(u) = u
sample x_i ~ lognormal(m, s)
