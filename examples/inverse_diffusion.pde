# An inverse problem: the diffusivity k is found from what is observed at the final time.
# Shows: an unknown number learned together with the solution, observations as a condition, an
# initial condition met exactly.
# Run:  pdec examples/inverse_diffusion.pde -o x.so && pderun x.so
# Expect: k = 0.6990 for 0.7, relative L2 error of u 2.0e-3, 2 seconds on one core; the run starts at
# k = 1.5.
# Why k is determined: the data at t = 0 are built in, and exp(-k T) is how much is left of them at t
# = T. With the initial data alone every k would do. The observations are those of k = truth.
# Not published in this form.

problem "Diffusivity from observations at the final time"
dim     d = 50
param   T = 1, truth = 0.7
domain  x in R(d)
time    t in [0, T]
field   u(x, t)
unknown k in (0.05, 5) = 1.5
let     z = sum_i x_i / sqrt(d)
equation d(u, t) = k * lap(u)
exact    u = exp(-truth * t) * sin(z)
initial  u = sin(z)
ansatz   u = sin(z) + t * net
terminal u = exp(-truth * T) * sin(z) weight 10       # observed
sample   x_i ~ normal(0, 1)
solve {
  network    mlp(features = [x/sqrt(d), t, z], width = 32, depth = 3, activation = tanh)
  method     exact(points = 100)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 300
  seed       0
}
