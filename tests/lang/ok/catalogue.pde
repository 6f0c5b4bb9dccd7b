# forms met in the published benchmark problems
dim    d = 100
param  s = 0.4, k = 0.05, c = 1.75, T = 1
domain x in ball(d, 1)
time   t in [0, T]
field  u(x, t)
random M_ij ~ normal(0, 1)
let    weights_i = tanh(4 * i / (d - 1) - 2)
let    v = (1 - norm(x)^2) * sum_{i=1..d-1} weights_i * sin(x_i + 3*cos(x_{i+1}) + x_{i+1}*cos(x_i))
let    r2 = dot(x, x), Mx_i = sum_j M_ij * x_j
let    huber(a) = max(abs(a) - 1, 0)
exact  u = exp((k + s^2) * (T - t)) * sum_i x_i^2
equation d(u, t) + s^2/2 * sum_i x_i^2 * d2(u, x_i) - k * (u - sum_i x_i * d(u, x_i))
       - 1/d * sum_i abs(d(u, x_i))^c + dot(Mx, grad(u)) + v + r2 + huber(u) = g
source g from exact
terminal u = exact(u)
boundary u = exact(u) weight 20
report sum_i d(u, x_i) / d at x = 0, t = 0
