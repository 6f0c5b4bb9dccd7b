# the flux through the boundary of an ellipsoid whose semiaxes are a formula
dim    d = 9
let    a_i = 1 + 1/i
domain x in ellipsoid(d, a_i)
field  u(x)
equation lap(u) = 1
boundary d(u, outward) = x_1
