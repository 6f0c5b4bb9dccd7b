# mixed derivatives by neighbours: a band written as one sum
dim    d = 6
domain x in box(d, 0, 1)
field  u(x)
equation lap(u) + sum_{i=1..d-1} x_i * d(u, x_i, x_{i+1}) + sum_{i=1..d-2} d(u, x_i, x_{i+2}, x_{i+2}) * d(u, x_i, x_i, x_{i+2}) = u
boundary u = 0
