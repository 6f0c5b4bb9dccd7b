# Schroedinger's equation in imaginary time with a quadratic potential, from a displaced Gaussian.
problem  "oscillator in imaginary time"
dim      d = 10
param    T = 1
domain   x in R(d)
time     t in [0, T]
field    u(x, t)
let      c = cosh(t) + sinh(t)
let      a = 0.5, b = exp(-t)
exact    u = exp(-norm(x)^2 * a + b * sum_i x_i / d - d * t / 2 + (1 - b^2) / (4 * d))
equation d(u, t) = lap(u) / 2 - norm(x)^2 / 2 * u
initial  u = exp(-norm(x)^2 / 2 + sum_i x_i / d)
sample   x_i ~ normal(0, 1)
ansatz u = exp(-norm(x)^2/2 + sum_i x_i/d + t*net)
solve {
  network mlp(features = [sum_i x_i/sqrt(d), norm(x)^2/d, 2*t - 1])
}
