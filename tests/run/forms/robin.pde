problem "Robin condition on a box"
dim d = 6
domain x in box(d, -1, 1)
field u(x)
exact u = sum_i x_i^3
equation lap(u) - u = g
source g from exact
boundary d(u, outward) + 2 * u = d(exact(u), outward) + 2 * exact(u)
