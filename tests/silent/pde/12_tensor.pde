# A tiny tensor network, for the options that only these have.
dim      d = 3
domain   x in box(d, -5, 5)
field    psi(x)
unknown  lambda = d
equation -lap(psi) + norm(x)^2 * psi = lambda * psi
boundary psi = 0 exactly
eigen    lambda smallest
solve {
  network tnn(rank = 1, width = 4, depth = 2, activation = sin, nodes = 8)
  method  eigensolve
  iterations 2
}
