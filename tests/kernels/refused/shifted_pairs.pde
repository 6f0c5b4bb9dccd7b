# mixed derivatives by a pair of indices of which one is shifted, beside one that is not
dim    d = 6
domain x in box(d, 0, 1)
field  u(x)
equation sum_{i=1..d, j=1..d-1} d2(u, x_i, x_j) * d2(u, x_i, x_{j+1}) = u
boundary u = 0
