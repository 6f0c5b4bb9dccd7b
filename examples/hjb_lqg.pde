# Hamilton-Jacobi-Bellman equation of linear-quadratic-Gaussian control, control weight mu.
# Shows: a parameter in the operator (--set mu=2), a function in `let`, an expectation as reference,
# a terminal condition as a loss.
# Run:  pdec examples/hjb_lqg.pde -o x.so && pderun x.so
# Expect: u(0, 0) to 1.1e-4 of the reference at mu = 1 and 1.4e-4 at mu = 2, which are 0.7 and 0.9
# of the reference's own standard error; 7 seconds on one core.
# Published (STDE code): 16 terms, 100 points, network [d+1,128,128,128,1], (T - t) NN + g, 10,000
# Adam steps, rate linear from 1e-3 to 0; reference Monte Carlo with 10,000 samples. Here the
# terminal condition is a loss; hjb_log.pde has it exactly, and the reference for mu = 1 as an
# integral. Published points are x ~ N(0, I); here they are those of diffusion paths to the test law
# and to x = 0 (why: hjb_log_paths.pde).
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
sample s ~ uniform(0, 1)
sample x_i ~ normal(0, sqrt(s + 2*t))
test   x_i ~ normal(0, 1)
solve {
  network    mlp(features = [x/sqrt(d), t, norm(x)^2/d], width = 32, depth = 3, activation = tanh)
  method     exact(points = 200)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 300
  seed       0
}
