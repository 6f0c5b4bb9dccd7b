# the right source, (2x - 1) and (2y - 1): with the public one the stated pair is no solution
problem  "PINNacle: PInv"
domain   x in box(2, 0, 1)
field    u(x), a(x)
random   X_k ~ uniform(0, 1) for k = 1..2500
random   Y_k ~ uniform(0, 1) for k = 1..2500
random   e_k ~ normal(0, 0.1) for k = 1..2500
let      s = sin(pi*x_1) * sin(pi*x_2)
let      c = 1 / (1 + x_1^2 + x_2^2 + (x_1 - 1)^2 + (x_2 - 1)^2)
equation div(a * grad(u)) + f = 0
boundary a = exact(a)
observe  u = sin(pi*X_k) * sin(pi*Y_k) + e_k at x_1 = X_k, x_2 = Y_k for k = 1..2500
exact    u = s
exact    a = c
source   f from exact
