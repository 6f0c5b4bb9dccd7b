problem "Three coupled fields, an unknown number, conditions of each kind"
dim d = 5
domain x in ball(d, 1)
time t in [0, 1]
field u(x, t), v(x, t), w(x, t)
unknown a in (0, 3) = 1
equation d(u, t) = lap(u) + u * (1 - v)
equation d(v, t) = a * lap(v) + v * (u - w) + sum_i d(u, x_i) * d(v, x_i)
equation d(w, t) = 2 * lap(w) - w + v^2
initial u = 1 exactly
initial v = 0.5
initial w = norm(x)^2
boundary u = 1
boundary d(v, outward) = 0
boundary w = 1
