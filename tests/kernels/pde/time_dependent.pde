# coefficients in time, min and max of the unknown
dim    d = 12
param  T = 0.5, r = 0.1
domain x in box(d, 0, 2)
time   t in [0, T]
field  u(x, t)
let    sigma_i = (1 + t * i / d) / (1 + exp(-t))
equation d(u, t) + 1/2 * sum_i sigma_i^2 * x_i^2 * d2(u, x_i) + r * sum_i x_i * d(u, x_i) - r * max(u, 0.1) + min(u, t) = 0
terminal u = max(max_i x_i - 1, 0)
boundary u = exp(-r * (T - t)) * max(mean_i x_i - 1, 0)
sample t ~ uniform(0, T / 2)
