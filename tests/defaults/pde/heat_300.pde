# A heap of heat spreads in three hundred dimensions, carried by a steady wind.
problem  "heat with wind"
dim      d = 300
param    s = 0.5
domain   x in R(d)
time     t in [0, 1]
field    u(x, t)
let      y2 = sum_i (x_i - s * t)^2, w = d + 2 * t
exact    u = (d / w)^(d / 2) * exp(-y2 / (2 * w))
equation d(u, t) + s * sum_i d(u, x_i) = lap(u)
initial  u = exp(-norm(x)^2 / (2 * d))
sample   x_i ~ normal(0, 1)
