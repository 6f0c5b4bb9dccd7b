# The mean of a Neumann problem.
problem "pure Neumann, mean 0"
domain   x in box(2, 0, 1)
field    u(x)
exact    u = cos(pi*x_1) * cos(pi*x_2)
source   g from exact
equation lap(u) = g
boundary d(u, outward) = 0
constraint mean(u) = 0
