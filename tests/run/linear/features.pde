problem "nonlinear vector and scalar features, a trial function, products"
dim    d = 6
domain x in ball(d, 1)
time   t in [0, 1]
field  u(x, t)
let    triple_i = sum_{j=2..d-1} delta_ij * x_{j-1} * x_j * x_{j+1} + t * sin(x_i)
equation d(u, t) + sum_i (1 + x_i) * d2(u, x_i) + u^2 + sum_i x_i * d(u, x_i) * u = 1
terminal u = 0 exactly
boundary d(u, outward) = 0
solve {
  network mlp(features = [triple, t, norm(x)^2], width = 8, depth = 3, activation = ACTIVATION)
}
