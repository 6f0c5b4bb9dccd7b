#~ E0409 6:35
domain x in box(2, 0, 1)
field u(x)
random X_k ~ uniform(0, 1) for k = 1..9
equation lap(u) = 1
observe  u = X_k at x_i = X_k for k = 2..9
