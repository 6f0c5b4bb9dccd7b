problem "Reports of a network"
dim    d = 20
domain x in ball(d, 1)
field  u(x)
equation sum_i d2(u, x_i) = 1
boundary u = 0 exactly
reference u = 1 at x_i = 1/d
report u at x_i = 1/d
report sum_i (1 + x_i) * d2(u, x_i) at x_i = 0
report sum_i (1 + x_i) * d2(u, x_i) - lap(u) at x_i = 0
