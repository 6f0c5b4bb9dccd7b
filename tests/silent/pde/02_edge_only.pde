dim d = 2
domain x in box(d, 0, 1)
time t in [0, 1]
field u(x, t)
equation d(u, t) = lap(u)
initial u = x_1 + prod_i sin(pi*x_i) exactly
boundary u = x_1*exp(-t) exactly
