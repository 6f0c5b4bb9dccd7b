# A screened Poisson equation in a ball of a thousand dimensions.
problem  "screened Poisson"
dim      d = 1000
domain   x in ball(d, 1)
field    u(x)
exact    u = (1 - norm(x)^2) * (1 + sum_i cos(i) * x_i + sum_{i=1..d-2} x_i * x_{i+2})
equation lap(u) - u = g
source   g from exact
boundary u = 0 exactly
solve {
  network mlp(features = [sqrt(d)*x_i, d*x_i^2, d*x_i*x_{i+2}, norm(x)^2], activation = identity)
}
