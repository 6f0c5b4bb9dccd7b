# minimal-surface kind: sums inside a root, products of sums
dim    d = 10
domain x in box(d, 0, 1)
field  u(x)
equation sqrt(1 + sum_i d(u, x_i)^2) * sum_i d2(u, x_i) + (sum_i x_i * d(u, x_i)) * (sum_i d(u, x_i)^2)
       + exp(-sum_i (1 + i) * d2(u, x_i)^1) = 1
boundary u = 0
