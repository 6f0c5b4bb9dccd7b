# A control problem whose terminal cost oscillates; Cole-Hopf gives its value as an expectation.
problem  "HJB with a cosine cost"
dim      d = 100
param    T = 0.5
domain   x in R(d)
time     t in [0, T]
field    u(x, t)
let      g(y) = cos(sum_i y_i / sqrt(d)) + norm(y)^2 / (2 * d)
equation d(u, t) + lap(u) - sum_i d(u, x_i)^2 = 0
terminal u = g(x) exactly
sample   x_i ~ normal(0, sqrt(2*t))
reference u = -log(expect(w_i ~ normal(0, 1): exp(-g(x + sqrt(2 * (T - t)) * w)))) at x_i = 0, t = 0 samples 1000000
solve {
  network mlp(features = [norm(x)^2/d, sum_i x_i/sqrt(d), cos(sum_i x_i/sqrt(d)), 4*t - 1])
}
