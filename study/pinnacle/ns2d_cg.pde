# the open outlet of the public reference, -p n + nu du/dn = 0, in place of p = 0
problem  "PINNacle: NS 2d-CG, over a step"
param    nu = 1/100
domain   x in [0, 4], y in [0, 2] where x > 2 or y < 1
field    u(x, y), v(x, y), p(x, y)
random   S_k ~ uniform(0, 1) for k = 1..300
equation u * d(u, x) + v * d(u, y) + d(p, x) = nu * lap(u)
equation u * d(v, x) + v * d(v, y) + d(p, y) = nu * lap(v)
equation d(u, x) + d(v, y) = 0
boundary u = 4 * y * (1 - y) on x = 0
boundary v = 0 on x = 0
boundary u = 0 on y = 0 or y = 2
boundary v = 0 on y = 0 or y = 2
boundary nu * d(u, x) - p = 0 on x = 4
boundary d(v, x) = 0 on x = 4
observe  u = 0 at x = 2 * S_k, y = 1 for k = 1..300
observe  v = 0 at x = 2 * S_k, y = 1 for k = 1..300
observe  u = 0 at x = 2, y = 1 + S_k for k = 1..300
observe  v = 0 at x = 2, y = 1 + S_k for k = 1..300
