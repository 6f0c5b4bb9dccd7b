# a sum of fourth derivatives inside a root cannot be sampled without bias
dim    d = 6
domain x in box(d, 0, 1)
field  u(x)
equation sqrt(1 + (sum_i d4(u, x_i))^2) = u
boundary u = 0
