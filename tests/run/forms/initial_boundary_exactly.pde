problem "initial and boundary exactly"
dim d = 6
domain x in ball(d, 1)
time t in [0, 1]
field u(x, t)
exact u = (1 - norm(x)^2) * exp(-t)
equation d(u, t) = lap(u) + g
source g from exact
initial u = 1 - norm(x)^2 exactly
boundary u = 0 exactly
