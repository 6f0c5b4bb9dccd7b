# A cubic reaction in ten thousand dimensions.
problem  "cubic reaction"
dim      d = 10000
domain   x in ball(d, 1)
field    u(x)
exact    u = (1 - norm(x)^2) * exp(sum_i x_i / sqrt(d))
equation lap(u) - u^3 = g
source   g from exact
boundary u = 0 exactly
solve {
  network mlp(features = [sum_i x_i*sqrt(3), norm(x)^2])
}
