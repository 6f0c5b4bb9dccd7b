# Ground state of d coupled quantum oscillators in the coordinates that uncouple them.
# Shows: a change of coordinates (discrete sine transform) that makes a product state exact, a
# tensor network of rank one.
# Run:  pdec examples/oscillator_sine.pde -o x.so && pderun x.so
# The problem of oscillator.pde. -lap is the same in y, the potential is sum mu_k y_k^2 with mu_k =
# 1 - cos(k pi/(d+1)), and the box has half width about 5/mu_k^(1/4) in y_k.
# Expect: relative error 2.6e-8 of lambda at d = 100 with `--solver eigen --width 32`, a fifth of a
# second on one core. The settings below are the published ones: 50,000 gradient steps, about half a
# second each.
# Not published: the printed accuracy (1e-6) cannot be reached with rank one in x.

problem "Coupled oscillators in sine coordinates"
dim     d = 100
domain  x in R(d)
field   psi(x)
unknown lambda = d
let     W = sum_i x_i^2 - sum_{i=1..d-1} x_i * x_{i+1}
equation -lap(psi) + W * psi = lambda * psi
eigen   lambda smallest
normalise psi^2 : integral(x) = 1
coordinates y = sine(x)
exact   lambda = sum_{k=1..d} sqrt(1 - cos(k * pi / (d + 1)))
sample  x_i ~ normal(0, 1)
solve {
  network    tnn(rank = 1, width = 100, depth = 4, activation = sin,
                 cells = 10, nodes = 16, halfwidth = 5)
  optimiser  adam(rate = exponential(1e-3, 0.9999))
  iterations 50000
  precision  float64
}
