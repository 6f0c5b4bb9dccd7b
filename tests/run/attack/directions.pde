problem "Fokker-Planck exponential, correlated, Black-Scholes form"
dim    d = 6
param  r = 0.05, sigma = 0.4, rho = 0.3, T = 1
domain x in box(d, 0.5, 2)
time   t in [0, T]
field  V(x, t)
let    C_ij = sigma^2 * (rho + (1 - rho) * delta_ij)
equation d(V, t) + 1/2 * sum_ij C_ij * x_i * x_j * d2(V, x_i, x_j) + r * sum_i x_i * d(V, x_i) - r * V = 0
exact    V = exp((r + sigma^2) * (T - t)) * norm(x)^2
terminal V = norm(x)^2
boundary V = exact(V)
solve {
  attack sign(steps = 3)
}
