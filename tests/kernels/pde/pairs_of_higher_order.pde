# every row of the polarisation table, over pairs
dim    d = 6
domain x in box(d, 0, 1)
field  u(x)
random A_ij ~ normal(0, 1)
equation sum_ij A_ij * d(u, x_i, x_i, x_j) + sum_ij x_i * d(u, x_i, x_j, x_j) + sum_ij A_ij * d(u, x_i, x_i, x_j, x_j)
       + sum_ij x_j * d(u, x_i, x_i, x_i, x_j) - sum_ij A_ij * d(u, x_i, x_j, x_j, x_j) + u = 0
boundary u = 0
