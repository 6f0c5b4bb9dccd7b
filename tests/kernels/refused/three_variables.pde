# why there is no route
dim    d = 6
domain x in box(d, 0, 1)
field  u(x)
equation sum_{i=1..d-2} d(u, x_i, x_{i+1}, x_{i+2}) * x_i = u
boundary u = 0
