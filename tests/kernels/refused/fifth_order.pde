# why there is no route
dim    d = 6
domain x in box(d, 0, 1)
field  u(x)
equation sum_i d5(u, x_i) = u
boundary u = 0
