# Several vectors of features, of different lengths: sampled sums, the full gradient, time, gradients given, a flux at the
# boundary.
problem "Heat equation with products of neighbours as features"
dim    d = 6
domain x in ball(d, 1)
time   t in [0, 1]
field  u(x, t)
exact  u = exp(-t) * sum_{i=1..d-1} sin(x_i * x_{i+1}) + t * norm(x)^2
equation d(u, t) - sum_i (1 + x_i^2) * d2(u, x_i) + sum_i d(u, x_i)^2 - sum_i x_i * d(u, x_i) = g
source g from exact
initial  u = exact(u)
initial  grad(u) = grad(exact(u))
boundary d(u, outward) = d(exact(u), outward)
solve {
  network mlp(features = [2*x, t, sin(x_{i-1} * x_i * x_{i+1}), norm(x)^2/d, exp(-t) * x_i * x_{i+1}], width = 16, depth = 3)
}
