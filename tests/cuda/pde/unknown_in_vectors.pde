# An unknown number in a condition on a whole gradient.
problem "Heat equation, unknown conductivity"
dim    d = 6
domain x in ball(d, 1)
time   t in [0, 1]
field  u(x, t)
unknown kappa = 0.7
exact  u = exp(-t) * sum_i sin(x_i)
equation d(u, t) = kappa * sum_i d2(u, x_i)
initial  kappa * grad(u) = grad(exact(u))
boundary u = exact(u)
