# Ground state of d coupled quantum oscillators on the whole space, by a network.
# Shows: an unknown number, an eigenvalue problem, an ansatz that excludes the trivial solution.
# Run:  pdec examples/oscillator.pde -o x.so && pderun x.so
# Expect: lambda 0.3 % off at d = 10 by natural gradient, 4 seconds on one core; command in
# RESULTS.md.
# coupled_oscillator_sine.pde has it to 2e-10 at d = 20,000.
# Published (SDGD, section 5.4, "CQHO"): a tensor network of rank one on [-5, 5]^d. The operator is
# -lap, without 1/2; then the printed formula for lambda is right.
# Trap: the released code lacks the coupling and has lambda = d (oscillator_uncoupled.pde). A
# product state of the x_i cannot come below lambda = d, and walls at +-5 raise lambda by 1.6e-2 at
# d = 100.

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
