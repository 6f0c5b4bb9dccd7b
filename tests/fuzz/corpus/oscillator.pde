problem "Ground state of coupled quantum harmonic oscillators"
dim     d = 100
domain  x in R(d)
field   psi(x)
unknown lambda = d
let     W = sum_i x_i^2 - sum_{i=1..d-1} x_i * x_{i+1}
equation -sum_i d2(psi, x_i) + W * psi = lambda * psi
ansatz  psi = exp(-norm(x)^2 / 2) * exp(net)
eigen   lambda smallest
exact   lambda = sum_{k=1..d} sqrt(1 - cos(k * pi / (d + 1)))
sample  x_i ~ normal(0, 1)
