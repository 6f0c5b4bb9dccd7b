# numbers with intervals and a vector; a condition met on all of the boundary of the product
dim      d = 3
domain   a in [0, 1], x in box(d, -1, 2), b in [2, 3]
field    u(a, x, b)
exact    u = a * b + a*(1 - a) * (b - 2)*(3 - b) * prod_i (x_i + 1)*(2 - x_i)
equation lap(u) + d(u, a, b) = g * u
source   g from exact
boundary u = a * b exactly
