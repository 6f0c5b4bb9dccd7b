# Ground state of two coupled quantum oscillators in their own coordinates: more than one product.
# Shows: pairs of neighbours in the potential, rank above one, sweeps over the dimensions.
# Run:  pdec examples/coupled_oscillator_small.pde -o x.so && pderun x.so            (1 second)
# Error of lambda: 3.5 % with rank 1, 4e-5 with rank 3, 9e-7 with rank 4, 2e-9 with rank 8; the walls
# raise lambda by 1.8e-9 of it. At d = 10 rank 8 still leaves 2 %: use coupled_oscillator_sine.pde.

problem "Two coupled quantum oscillators"
dim     d = 2
domain  x in R(d)
field   psi(x)
unknown lambda = d
equation -lap(psi) + (sum_i x_i^2 - sum_{i=1..d-1} x_i * x_{i+1}) * psi = lambda * psi
eigen   lambda smallest
normalise psi^2 : integral(x) = 1
exact   lambda = sum_{k=1..d} sqrt(1 - cos(k * pi / (d + 1)))
solve {
  network tnn(rank = 4, width = 32, depth = 2, activation = sin, nodes = 48, halfwidth = 5)
  method  eigensolve
  iterations 20
}
