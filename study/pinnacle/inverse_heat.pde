# a is stated not to change in time
problem  "PINNacle: HInv"
domain   x in box(2, -1, 1)
time     t in [0, 1]
field    u(x, t), a(x, t)
random   X_k ~ uniform(-1, 1) for k = 1..2500
random   Y_k ~ uniform(-1, 1) for k = 1..2500
random   T_k ~ uniform(0, 1) for k = 1..2500
random   e_k ~ normal(0, 0.1) for k = 1..2500
let      s = sin(pi*x_1) * sin(pi*x_2)
equation d(u, t) - div(a * grad(u)) = f
equation d(a, t) = 0
boundary a = 2
observe  u = exp(-T_k) * sin(pi*X_k) * sin(pi*Y_k) + e_k at x_1 = X_k, x_2 = Y_k, t = T_k for k = 1..2500
exact    u = exp(-t) * s
exact    a = 2 + s
source   f from exact
