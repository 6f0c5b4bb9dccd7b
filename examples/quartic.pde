# Ground state of d anharmonic oscillators, each of its own strength.
# Shows: a potential without a formula for lambda; pderun solves it densely for comparison.
# Run:  pdec examples/quartic.pde -o x.so && pderun x.so                              (1 second)
# Error of lambda against the dense solver on the same box: below 1e-9. For one oscillator with
# g = 1 and frequency 1 the eigenvalue is 1.392351641530 (-psi'' + (x^2 + x^4) psi = lambda psi).

problem "Quartic anharmonic oscillators"
dim     d = 100
param   g = 1
domain  x in R(d)
field   psi(x)
unknown lambda = d
random  w_i ~ uniform(0.5, 1.5) for i = 1..d seed 5
equation -lap(psi) + sum_i (w_i * x_i^2 + g * x_i^4) * psi = lambda * psi
eigen   lambda smallest
normalise psi^2 : integral(x) = 1
solve {
  network tnn(rank = 1, width = 32, depth = 2, activation = sin, nodes = 48, halfwidth = 3.5)
  method  eigensolve
}
