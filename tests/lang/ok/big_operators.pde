dim d = 10, m = 3
domain x in box(d, 0, 1)
field u(x)
data A_ij from "a.npy"
let a = prod_i x_i, b = max_i x_i - min_i x_i, c = mean_i x_i
let e = sum_{i<j} A_ij * x_i * x_j
let f = sum_{i=1..d-1} sum_{j=i+1..d} x_i * x_j
let g = sum_{i=1..d-2, j=1..m} x_{i+2} * x_j
let h = sum_{i=2..d} x_{i-1} + sum_{i=1..d} x_{d+1-i} + x_d + x_1
let k = sum_ij A_ij * delta_ij
equation lap(u) = a + b + c + e + f + g + h + k + max(a, b)
boundary u = 0
