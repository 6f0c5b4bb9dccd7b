# Diffusion in a chain whose neighbours interact, from a known smooth state.
problem  "chain of neighbours"
dim      d = 40
param    T = 0.5
domain   x in R(d)
time     t in [0, T]
field    u(x, t)
let      q = sum_{i=1..d-1} x_i * x_{i+1} / d
exact    u = exp(-t) * sin(q) + norm(x)^2 / d
equation d(u, t) = lap(u) / 2 + u - u^2 + f
source   f from exact
initial  u = sin(q) + norm(x)^2 / d exactly
sample   x_i ~ normal(0, 1)
solve {
  network mlp(features = [sum_{i=1..d-1} x_i*x_{i+1}/sqrt(d), norm(x)^2/d - 1, 4*t - 1, sin(sum_{i=1..d-1} x_i*x_{i+1}/d), cos(sum_{i=1..d-1} x_i*x_{i+1}/d)])
}
