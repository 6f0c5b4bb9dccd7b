#~ E0435 3:30
dim d = 100
domain x in ellipsoid(d, 1 + x_i^2)
field u(x)
equation lap(u) = 1
