# more fields than equations: a coefficient from what is seen of the solution
problem  "A coefficient from observations"
domain   x in box(2, 0, 1)
field    u(x), a(x)
random   X_k ~ uniform(0, 1) for k = 1..400 seed 1
random   Y_k ~ uniform(0, 1) for k = 1..400 seed 2
let      c = 1 / (1 + norm(x)^2)
equation sum_i d(a * d(u, x_i), x_i) = sum_i d(c * d(sin(pi*x_1) * sin(pi*x_2), x_i), x_i)
boundary a = c
observe  u = sin(pi*X_k) * sin(pi*Y_k) at x_1 = X_k, x_2 = Y_k for k = 1..400 weight 10
reference u = sin(pi*x_1) * sin(pi*x_2)
reference a = c
