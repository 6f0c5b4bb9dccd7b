# mixed derivatives whose two coordinates are both shifted, beside one that is not
dim    d = 6
domain x in box(d, 0, 1)
field  u(x)
equation sum_{i=1..d-2} d2(u, x_i) * d(u, x_{i+1}, x_{i+2}) = u
boundary u = 0
