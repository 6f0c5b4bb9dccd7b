# Hamilton-Jacobi-Bellman equation of linear-quadratic-Gaussian control, control weight mu.
# Shows: a parameter in the operator (--set mu=2), a function in `let`, an expectation as reference.
# Run:  pdec examples/hjb_lqg.pde -o x.so && pderun x.so
# Published (STDE code): 16 terms, 100 points, network [d+1,128,128,128,1], (T - t) NN + g, 10,000
# Adam steps, rate linear from 1e-3 to 0; reference Monte Carlo with 10,000 samples. Here the
# terminal condition is a loss; hjb_log.pde has it exactly, and the reference for mu = 1 as an
# integral.
# Only u_ii is sampled; |grad u|^2 is computed in full by one reverse sweep, as in text and codes.

problem "Hamilton-Jacobi-Bellman, linear-quadratic control"
dim    d = 250
param  mu = 1, T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) + sum_i d2(u, x_i) - mu * sum_i d(u, x_i)^2 = 0
let    cost(y) = log((1 + norm(y)^2) / 2)
terminal u = cost(x)
reference u = -1/mu * log(expect(w_i ~ normal(0, 1):
                                 exp(-mu * cost(x + sqrt(2*(T - t)) * w)))) at x_i = 0, t = 0 samples 10000
sample x_i ~ normal(0, 1)
