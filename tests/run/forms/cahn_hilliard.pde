problem "Cahn-Hilliard"
dim d = 5
domain x in ball(d, 1)
time t in [0, 1]
field c(x, t)
exact c = exp(-t) * sum_i x_i^2 / 5
equation d(c, t) = lap(c^3 - c - 0.01 * lap(c)) + g
source g from exact
initial c = exact(c)
boundary c = exact(c)
boundary d(c, outward) = d(exact(c), outward)
