problem "six scalar features with second derivatives"
dim d = 7
domain x in ball(d, 1)
time t in [0, 1]
field u(x, t)
exact u = exp(-t) * norm(x)^2
equation d(u, t) = lap(u) + g
source g from exact
initial u = exact(u)
boundary u = exact(u)
solve {
  network mlp(features = [x, t, norm(x)^2, sum_i x_i, sum_i x_i^3, sum_i sin(x_i), x_1 * x_2, exp(-t) * x_1], width = 32)
}
