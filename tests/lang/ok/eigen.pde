dim d = 10
domain x in R(d)
field psi(x)
unknown lambda = d
equation -lap(psi) + norm(x)^2 * psi = lambda * psi
eigen lambda smallest
normalize psi^2 : integral(x) = 1
coordinates y = sine(x)
exact lambda = d
sample x_i ~ normal(0, 1)
solve {
  network tnn(rank = 1, width = 100, depth = 4, activation = sin)
}
