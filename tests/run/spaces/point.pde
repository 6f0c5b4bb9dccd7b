# only the flux is given on the boundary; one point says which of all solutions it is
problem  "A potential that is known at one point"
domain   x in box(2, 0, 1)
field    u(x)
equation lap(u) = -2*pi^2 * cos(pi*x_1) * cos(pi*x_2)
boundary d(u, outward) = 0
observe  u = 3 at x_1 = 0, x_2 = 0
reference u = 2 + cos(pi*x_1) * cos(pi*x_2)
