# Ground state of d uncoupled quantum oscillators by a tensor network of rank one.
# Shows: an eigenvalue problem whose dimensions are independent, output layers by eigenproblems.
# Run:  pdec examples/qho.pde -o x.so && pderun x.so          (--set d=20000 takes 6 seconds)
# Error of lambda: 2e-10 at d = 10, 1,000 and 20,000, of which the walls of the box are 1.5e-10.
# By Adam alone (--solver gradient --iterations 4000, d = 100): 3.4e-4 with all terms in 10 s, 1.2e-2 with
# samples of 10 terms (--algorithm 3 --terms 10) in 6 s. The eigenproblems need one pass.
# Published (SDGD code for section 5.4): below 1e-6, by 50,000 Adam steps (oscillator_uncoupled.pde).

problem "Quantum harmonic oscillators, uncoupled"
dim     d = 1000
domain  x in box(d, -5, 5)
field   psi(x)
unknown lambda = d
equation -lap(psi) + norm(x)^2 * psi = lambda * psi
boundary psi = 0 exactly
eigen   lambda smallest
normalise psi^2 : integral(x) = 1
exact   lambda = d
solve {
  network tnn(rank = 1, width = 32, depth = 2, activation = sin, nodes = 48)
  method  eigensolve
}
