dim d = 3
domain x in ball(d, 1)
field u(x)
equation sum_i d2(u, x_i) = -1
boundary u = 0 exactly
