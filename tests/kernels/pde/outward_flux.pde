# conditions with the outward normal, on a ball and nonlinear
dim    d = 7
domain x in ball(d, 2)
time   t in [0, 1]
field  u(x, t)
equation d(u, t) = lap(u)
initial u = prod_i cos(x_i)
boundary d(u, outward) + u^3 = t * norm(x)^2 weight 3
