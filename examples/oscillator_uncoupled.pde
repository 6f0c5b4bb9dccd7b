# Ground state of d uncoupled quantum oscillators on a box, by a tensor network of rank one.
# Shows: a tensor network, an exact solution that is a product, normalisation that can be computed.
# Run:  pdec examples/oscillator_uncoupled.pde -o x.so && pderun x.so
# Expect: relative error 2.2e-8 of lambda at d = 100 with `--solver eigen --width 32`, a fifth of a
# second on one core. The settings below are the published ones: 50,000 gradient steps, about half a
# second each.
# Published (SDGD code for section 5.4): one subnet [1,100,100,100,1] with sine activation for each
# coordinate, times (x + 5)(5 - x), rank 1, float64; 10 cells of 16 Gauss-Legendre nodes; 50,000
# Adam steps of rate 1e-3 * 0.9999^n; all terms, accumulated over blocks of coordinates.
# Trap: the text's problem has a coupling, the code has not: its reference is lambda = d.
# The exact solution is that of the whole space: the walls change lambda by 1.5e-10 for each
# coordinate.

problem "Ground state of uncoupled quantum harmonic oscillators"
dim     d = 100
domain  x in box(d, -5, 5)
field   psi(x)
unknown lambda = d
equation -lap(psi) + norm(x)^2 * psi = lambda * psi
boundary psi = 0 exactly
eigen   lambda smallest
normalise psi^2 : integral(x) = 1
exact   lambda = d
exact   psi = pi^(-d/4) * exp(-norm(x)^2 / 2)
solve {
  network    tnn(rank = 1, width = 100, depth = 4, activation = sin,
                 cells = 10, nodes = 16, halfwidth = 5)
  optimiser  adam(rate = exponential(1e-3, 0.9999))
  iterations 50000
  precision  float64
}
