# The expectation of HJB-Log and the same number as an integral, at one point.
dim    d = 3
param  T = 1, factor = -1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
let    cost(y) = log((1 + norm(y)^2) / 2), s2 = 2 * (T - t)
random c_i ~ uniform(0.5, 1.5) for i = 1..d seed 1
let    place_i = x_i - x_i + i/4 + (i - 1) * (3 - i) / 2 # that of the first two references, in 3 dimensions
equation d(u, t) + lap(u) - sum_i d(u, x_i)^2 = 0
terminal u = cost(x)
sample   x_i ~ normal(0, 1)
reference u = factor * log(expect(w_i ~ normal(0, 1): exp(-cost(x + sqrt(s2) * w)))) at x_i = i/4, x_2 = 1, t = 0.25
reference u = -log(2 * integral(v = -log(1 + 10*d) - 42..log(800):
    exp(v - exp(v) - d/2 * log1p(2*s2*exp(v)) - exp(v) * norm(x)^2 / (1 + 2*s2*exp(v))))) at x_i = i/4, x_2 = 1, t = 0.25
reference u = expect(w_i ~ normal(0, 1): sum_i c_i * (x_i + w_i)^2) at x_i = 1, t = 0 samples 1000
solve { network mlp(width = 16, depth = 2) }
