# Waves in a square, two wavelengths one way and three the other.
problem  "Helmholtz in a square"
dim      d = 2
param    k = 5
domain   x in box(d, -1, 1)
field    u(x)
exact    u = sin(2 * pi * x_1) * sin(3 * pi * x_2)
equation lap(u) + k^2 * u = (k^2 - 13 * pi^2) * sin(2 * pi * x_1) * sin(3 * pi * x_2)
boundary u = 0 exactly

