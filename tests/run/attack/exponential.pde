problem "log density"
dim    d = 7
param  theta = 0.8, a = 0.6, b = 0.9, s = 1.3, T = 1
domain x in R(d)
time   t in [0, T]
field  p(x, t)
let    F_i  = -theta * x_i - x_i^3 * norm(x)^2
let    D_ij = a * delta_ij + b / d
equation d(p, t) = -sum_i d(F_i * p, x_i) + sum_ij d2(D_ij * p, x_i, x_j)
ansatz p = exp(net)
initial log(p) = -norm(x)^2/2
sample x_i ~ normal(0, 1)
solve {
  attack sign(steps = 3)
}
