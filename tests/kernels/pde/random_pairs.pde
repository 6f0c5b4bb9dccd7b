# a full random matrix of mixed derivatives, and ordered pairs
dim    d = 12
domain x in box(d, 0, 1)
field  u(x)
random A_ij ~ normal(0, 1)
random S_ij ~ uniform(0, 1)
equation sum_ij A_ij * d(u, x_i, x_j) + sum_{i<j} S_ij * x_i * d(u, x_i, x_j) * d(u, x_j) = u
boundary u = 1
