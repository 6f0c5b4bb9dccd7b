# A claim on the worst of a hundred assets whose issuer may default; 57.3 is what the literature agrees on.
problem "Black-Scholes with default risk, 100 assets"
dim d = 100
param T = 1, R = 0.02, mu = 0.02, sigma = 0.2, recovery = 2/3
param vh = 50, vl = 70, gh = 0.2, gl = 0.02
domain x in R(d)
time t in [0, T]
field u(x, t)
let Q = max(min(gh + (gl - gh)/(vl - vh) * (u - vh), gh), gl)
equation d(u, t) + mu * sum_i x_i * d(u, x_i) + sigma^2/2 * sum_i x_i^2 * d2(u, x_i) - (1 - recovery) * Q * u - R * u = 0
terminal u = min_i x_i
sample x_i ~ normal(100, 20)
reference u = 57.3 at x_i = 100, t = 0
