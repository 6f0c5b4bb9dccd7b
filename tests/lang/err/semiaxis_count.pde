#~ E0436 4:26
dim d = 100
random a_i ~ uniform(1, 2) for i = 1..d-1
domain x in ellipsoid(d, a_i)
field u(x)
equation lap(u) = 1
