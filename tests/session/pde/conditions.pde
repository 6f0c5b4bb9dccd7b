# Two fields with conditions of two kinds on each, of different weights: run_joint.c.
problem "Two fields"
dim    d = 2
domain x in box(d, -1, 1)
time   t in [0, 1]
field  u(x, t), v(x, t)
equation first: d(u, t) = lap(u) + v
equation second: d(v, t) = lap(v) - u
initial u = x_1 * x_2
initial v = 1 - x_1 weight 3
boundary u = exp(-t) * sum_i cos(x_i)^2 / 2
boundary v = x_1 + t weight 5
