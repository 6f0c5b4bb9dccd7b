problem "Smallest eigenvalue of the Laplacian in the unit ball, pi^2 at d = 3"
dim d = 3
domain x in ball(d, 1)
field psi(x)
unknown lambda = 5
equation -lap(psi) = lambda * psi
boundary psi = 0 exactly
eigen lambda smallest
