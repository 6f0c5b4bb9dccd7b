problem "Telegraph equation with mixed derivatives, both initial data met exactly"
dim d = 5
domain x in ball(d, 1)
time t in [0, 1]
field u(x, t)
exact u = cos(t) * sum_i x_i^2
equation d2(u, t) + d(u, t) + sum_i d2(u, t, x_i) * x_i = lap(u) + g
source g from exact
initial u = exact(u) exactly
initial d(u, t) = 0 exactly
boundary u = exact(u)
