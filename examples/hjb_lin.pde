# Hamilton-Jacobi-Bellman equation with the Hamiltonian sum |u_i|^c, c = 1.75, and a linear
# solution.
# Shows: a full-gradient term that is not a square, an exact solution.
# Run:  pdec examples/hjb_lin.pde -o x.so && pderun x.so
# Expect: relative L2 error 2.6e-6, half a second on one core; the trial function has the solution at
# net = 1, so that a fitted constant is exact.
# Published (STDE code): x ~ N(0, I), t ~ U(0, 1), (T - t) NN + sum x_i, 16 terms, 100 points,
# network [d+1,128,128,128,1], 10,000 Adam steps, rate linear from 1e-3 to 0.
# Trap: |p|^1.75 has no second derivative at p = 0; the solution stays at p = 1.

problem "HJB with a non-quadratic Hamiltonian, linear solution"
dim    d = 1000
param  c = 1.75, T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) + lap(u) - 1/d * sum_i abs(d(u, x_i))^c = -2
exact    u = sum_i x_i + T - t
terminal u = sum_i x_i
ansatz   u = (T - t) * net + sum_i x_i
sample   x_i ~ normal(0, 1)
solve {
  network    mlp(width = 32, depth = 3, activation = tanh)
  method     exact(points = 100)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 60
  seed       0
}
