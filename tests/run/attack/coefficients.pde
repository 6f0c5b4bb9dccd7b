problem "coefficients that depend on the point, drift, source, ball"
dim    d = 12
domain x in ball(d, 1)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-1
exact  u = (1 - norm(x)^2) * sum_{i=1..d-1} c_i * sin(x_i + cos(x_{i+1}) + x_{i+1} * cos(x_i))
equation sum_i (2 + sin(x_i) * norm(x)^2) * d2(u, x_i) + u * sum_i x_i^2 * d(u, x_i) + sin(u) * norm(x)^2 = g
source g from exact
boundary u = 0 exactly
solve {
  attack sign(steps = 3)
}
