# the same with a trial function: each summand holds the network and its derivative
dim    d = 30
domain x in ball(d, 1)
field  u(x)
equation sum_i d2(u, x_i) - sum_i abs(d(u, x_i))^1.75 = 1
boundary u = 0 exactly
