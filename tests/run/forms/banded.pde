problem "Banded matrix of coefficients"
dim d = 10
domain x in ball(d, 1)
field u(x)
exact u = sum_{i=1..d-1} x_i * x_{i+1}^2
equation sum_i 2 * d2(u, x_i) - sum_{i=1..d-1} (1 + x_i^2) * d2(u, x_i, x_{i+1}) = g
source g from exact
boundary u = exact(u)
