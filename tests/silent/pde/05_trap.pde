problem "Gross-Pitaevskii ground state in a 3-d trap, with its decay and its norm"
dim d = 3
param g = 5
domain x in R(d)
field psi(x)
unknown mu = 3
equation -lap(psi)/2 + norm(x)^2/2 * psi + g * psi^3 = mu * psi
ansatz psi = exp(-norm(x)^2 / 4) * exp(net)
eigen mu smallest
normalise psi^2 : integral(x) = 1
sample x_i ~ normal(0, 1)
