# Biharmonic equation on an annulus as a system of two Laplace equations: w = lap(u), lap(w) = g.
# Shows: d terms instead of the d^2 of biharmonic.pde; a nonlinear vector of features, whose entries
# are products of three neighbours; values of u and lap(u) given on the boundary.
# Run:  pdec examples/biharmonic_system.pde -o x.so && pderun x.so
# Expect: relative L2 error of u 6.8e-4 at d = 100 (a fitted constant times the boundary factor has
# 8.0e-3), half a minute on one core; 1.1e-3 at d = 20 (2.2e-2), 11 seconds.
# Why the features: u is nearly its boundary factor times a constant; the rest, 1/d^1.5 of it, is a
# sum of cubic terms, one of the 171,700 in 100 variables for each three neighbours. A network of x
# has to find them, and does at d = 20 (biharmonic.pde); here they are offered, with no word on which
# of them matter and how much.
# Trap: the error of both fields is that of the worse one; read u by itself, beside one fitted number
# times its boundary factor (biharmonic.pde prints that).
# Not published in this form.

problem "Biharmonic equation as a system of second order, three-body exact solution"
dim    d = 100
domain x in annulus(d, 1, 2)
field  u(x), w(x)
random c_i ~ normal(0, 1) for i = 1..d-2
let    triple_i = d * sum_{j=2..d-1} delta_ij * x_{j-1} * x_j * x_{j+1}
exact  u = (1 - norm(x)^2) * (4 - norm(x)^2) * sum_{i=1..d-2} c_i * exp(x_i * x_{i+1} * x_{i+2})
exact  w = lap(exact(u))
equation inner: 4*d * lap(u) = 4*d * w       # both of the size of g
equation outer: lap(w) = g
source g from exact
boundary u = 0 exactly
boundary w = exact(w)
sample x ~ radial(uniform)
solve {
  network    mlp(features = [triple, norm(x)^2], width = 32, depth = 3, activation = tanh)
  method     full(points = 200)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 300
  seed       0
}
