# the factor of a simplex: a harmonic mean over d + 1 faces
dim    d = 9
domain x in simplex(d)
field  u(x)
equation lap(u) + sum_i x_i^2 * d2(u, x_i) = 1
boundary u = 0 exactly
