dim d = 3
domain x in ball(d, 1)
time t in [0, 1]
field u(x, t)
equation d(u, t) + lap(u) = 0
terminal u = 1 - norm(x)^2 exactly
boundary u = 0 exactly
