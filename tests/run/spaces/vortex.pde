# Navier-Stokes with a vector field: one equation for each entry, a pressure whose constant is stated.
problem  "Taylor-Green vortex"
param    nu = 0.1
domain   x in box(2, 0, 1)
time     t in [0, 1/2]
field    v_k(x, t) for k = 1..2, p(x, t)
let      F = exp(-2*pi^2*nu*t)
exact    v_1 = -cos(pi*x_1) * sin(pi*x_2) * F
exact    v_2 = sin(pi*x_1) * cos(pi*x_2) * F
exact    p = -(cos(2*pi*x_1) + cos(2*pi*x_2)) * F^2 / 4
equation momentum: d(v_k, t) + sum_i v_i * d(v_k, x_i) = -d(p, x_k) + nu * lap(v_k)
equation mass: div(v) = 0
initial  v = exact(v)
boundary v_k = exact(v_k)
constraint mean(p) = 0
