# sums over 1..d-1 inside coefficients of the point and of the index
dim    d = 13
domain x in box(d, 0, 1)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-1
let    s = sum_{i=1..d-1} c_i * x_i * x_{i+1}
let    m_i = sum_{j=1..d-1} c_j * cos(x_i - x_j)
equation sum_i (1 + s^2 + m_i) * d2(u, x_i) + s * sum_i m_i * d(u, x_i) = exp(-s) * u
boundary u = s
