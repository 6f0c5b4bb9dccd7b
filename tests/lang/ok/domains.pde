dim d = 100
param r = 2
random a_i ~ uniform(1, 2)
domain x in ellipsoid(d, r * a_i)
field u(x)
equation lap(u) = 1
boundary u = 0 exactly
