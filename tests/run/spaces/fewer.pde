problem  "a source of time and a coefficient of x, found"
dim      m = 300
domain   x in [0, 1], y in [-1, 1]
time     t in [0, 1]
field    u(x, y, t), a(x), s(t)
exact    u = sin(2*x + y) * exp(-t) + y^2
exact    a = 1 + x^2
exact    s = 2 + sin(3*t)
source   g from exact
random   X_k ~ uniform(0, 1) for k = 1..m
random   Y_k ~ uniform(-1, 1) for k = 1..m
random   T_k ~ uniform(0, 1) for k = 1..m
equation d(u, t) = d(a * d(u, x), x) + d2(u, y) + s * y + g
boundary u = exact(u)
initial  u = exact(u)
boundary a = 1 on x = 0
observe  u = sin(2*X_k + Y_k) * exp(-T_k) + Y_k^2 at x = X_k, y = Y_k, t = T_k for k = 1..m weight 10
report   a at x = 1/2, y = 0, t = 0
report   s at x = 0, y = 1/2, t = 1/2
