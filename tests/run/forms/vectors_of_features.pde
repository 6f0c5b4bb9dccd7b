problem "features of neighbours beside an unknown number, a system, whole gradients as a condition"
dim    d = 6
domain x in ball(d, 1)
time   t in [0, 1]
field  u(x, t), v(x, t)
unknown k in (0, 2) = 0.7
random a_i ~ uniform(1, 2) for i = 1..d
equation first:  d(u, t) - k * sum_i a_i * d2(u, x_i) + sqrt(1 + sum_i d(u, x_i)^2) - v = 0
equation second: d(v, t) - lap(v) + sum_{i=1..d-1} x_i * d2(v, x_i, x_{i+1}) + u * v = 0
initial  u = norm(x)^2
initial  grad(v) = x
boundary d(u, outward) = 0
boundary v = 1
solve {
  network mlp(features = [x, a_i * x_i^2, x_i * x_{i+1}, t, t * norm(x)^2, exp(-t) * x_{i-1} * x_{i+1}], width = 16, depth = 3)
}
