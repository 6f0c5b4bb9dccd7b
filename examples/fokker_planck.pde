# Fokker-Planck equation in divergence form with correlated diffusion.
# Shows: derivatives of products, a diffusion matrix that is the identity plus rank one (O(d), not
# d^2), the logarithm of a density as what is learned and scored.
# Run:  pdec examples/fokker_planck.pde -o x.so && pderun x.so
# Expect: relative L2 error of log p 9.7e-4 at d = 500 (a fitted constant times t has 1.7e-2), 6 seconds
# on one core.
# Not published in this form. dX = F dt + sqrt(2 D) dW: there is no factor 1/2 before D.
# Trap: p itself underflows in high dimension (below 1e-300 at d = 500), and an L2 error of p would
# be that of its few largest points; hence p = exp(...), the residual divided by p, and the error of
# log p. Mass is conserved by the equation, and the initial density, built in, has mass 1.

problem "Fokker-Planck, linear drift, correlated diffusion, log-density unknown"
dim    d = 500
param  theta = 0.8, a = 0.6, b = 0.9, s = 1.3, T = 1
domain x in R(d)
time   t in [0, T]
field  p(x, t)
let    F_i  = -theta * x_i
let    D_ij = a * delta_ij + b / d
equation d(p, t) = -sum_i d(F_i * p, x_i) + sum_ij d2(D_ij * p, x_i, x_j)
let    start = -1/2 * (d*log(2*pi*s) + norm(x)^2 / s)   # log p at t = 0
ansatz p = exp(start + t * net)             # the residual is divided by p
let    E = exp(-2*theta*t), A = a/theta*(1 - E) + s*E, B = b/theta*(1 - E)
exact  p = exp(-1/2 * (d*log(2*pi) + (d-1)*log(A) + log(A + B)
                       + (norm(x)^2 - B/(A + B) * (sum_i x_i)^2 / d) / A))
initial p = exp(start)
sample x_i ~ normal(0, sqrt(s + 2*a*t))
solve {
  network    mlp(features = [x/sqrt(d), t, norm(x)^2/d, (sum_i x_i)^2/d],
                 width = 32, depth = 3, activation = tanh)
  method     exact(points = 200)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 300
  seed       0
}
