dim d = 2
domain x in box(d, 0, 1)
time t in [0, 1]
field u(x, t)
equation d2(u, t) = lap(u)
initial u = 0 exactly
initial d(u, t) = 1 exactly
boundary u = 0 exactly
