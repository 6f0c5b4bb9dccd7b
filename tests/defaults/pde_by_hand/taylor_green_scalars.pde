# Decaying vortices: incompressible Navier-Stokes with velocity and pressure.
problem  "Taylor-Green vortex"
dim      d = 2
param    nu = 0.1
domain   x in box(d, 0, pi)
time     t in [0, 1]
field    u(x, t), v(x, t), p(x, t)
exact    u = sin(x_1) * cos(x_2) * exp(-2 * nu * t)
exact    v = -cos(x_1) * sin(x_2) * exp(-2 * nu * t)
exact    p = (cos(2 * x_1) + cos(2 * x_2)) / 4 * exp(-4 * nu * t)
equation first: d(u, t) + u * d(u, x_1) + v * d(u, x_2) + d(p, x_1) = nu * lap(u)
equation second: d(v, t) + u * d(v, x_1) + v * d(v, x_2) + d(p, x_2) = nu * lap(v)
equation mass: d(u, x_1) + d(v, x_2) = 0
initial  u = sin(x_1) * cos(x_2)
initial  v = -cos(x_1) * sin(x_2)
boundary u = exact(u)
boundary v = exact(v)
boundary p = exact(p)
solve {
  network mlp(features = [sin(x_1), cos(x_1), sin(x_2), cos(x_2), 2*t - 1])
}
