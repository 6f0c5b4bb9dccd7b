# Ground state of d coupled quantum oscillators in the coordinates that uncouple them.
# Shows: a change of coordinates, boxes that follow each mode's own length, rank one that is exact.
# Run:  pdec examples/coupled_oscillator_sine.pde -o x.so && pderun x.so   (6 seconds at d = 20,000)
# Error of lambda: 2e-10 at d = 2, 10, 100 and 20,000, of which the walls are 1.5e-10.
# -lap is the same in y, the potential is sum mu_k y_k^2 with mu_k = 1 - cos(k pi/(d+1)), and the box
# of y_k has half width 5/mu_k^(1/4). In x no product state comes below lambda = d (11 % too high).

problem "Coupled quantum oscillators in sine coordinates"
dim     d = 20000
domain  x in R(d)
field   psi(x)
unknown lambda = d
let     W = sum_i x_i^2 - sum_{i=1..d-1} x_i * x_{i+1}
equation -lap(psi) + W * psi = lambda * psi
eigen   lambda smallest
normalise psi^2 : integral(x) = 1
coordinates y = sine(x)
exact   lambda = sum_{k=1..d} sqrt(1 - cos(k * pi / (d + 1)))
solve {
  network tnn(rank = 1, width = 32, depth = 2, activation = sin, nodes = 48, halfwidth = 5)
  method  eigensolve
}
