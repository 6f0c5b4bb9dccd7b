# A system of two equations of FitzHugh-Nagumo type.
# Shows: several fields, named equations, two sources solved together, weights on conditions.
# Run:  pdec examples/fitzhugh.pde -o x.so && pderun x.so
# Expect: relative L2 error 3.0e-2 for the worse field (a fitted constant has 1.0), 21 seconds on one
# core.
# Not published in this form.

problem "FitzHugh-Nagumo type system, two components"
dim    d = 1000
param  D = 0.5, eps = 0.1, beta = 0.8
domain x in box(d, -1, 1)
time   t in [0, 1]
field  u(x, t), v(x, t)
let    z = sum_i x_i / sqrt(d)
exact  u = exp(-t) * sin(z)
exact  v = exp(-t) * cos(z)
equation activator: d(u, t) = D * lap(u) + u - u^3 - v + g
equation inhibitor: d(v, t) = lap(v) + eps * (u - beta * v) + h
source g, h from exact
initial u = exact(u)
initial v = exact(v)
boundary u = exact(u) weight 10
boundary v = exact(v) weight 10
solve {
  network    mlp(width = 64, depth = 4, activation = tanh)
  method     exact(points = 100)
  optimiser  adam(rate = linear(2e-3, 0))
  iterations 3000
  seed       0
}
