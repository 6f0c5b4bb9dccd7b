# a bounded vector beside an open one with its own law, in time
problem  "Cooling in a ball beside a free coordinate"
dim      d = 4, m = 3
domain   x in ball(d, 1), y in R(m)
time     t in [0, 1]
field    u(x, y, t)
let      wave = exp(-t) * cos(mean_j y_j)
equation d(u, t) = lap(u) + 2*d * wave + (1/m - 1) * (1 - norm(x)^2) * wave
initial  u = (1 - norm(x)^2) * wave + x_1
boundary u = x_1 exactly
sample   y_j ~ normal(0, 1)
reference u = (1 - norm(x)^2) * wave + x_1
