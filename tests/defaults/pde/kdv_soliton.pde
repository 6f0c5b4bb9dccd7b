# One soliton of the Korteweg-de Vries equation.
problem  "soliton"
dim      d = 1
param    c = 2
domain   x in box(d, -8, 8)
time     t in [0, 1]
field    u(x, t)
exact    u = c / 2 / cosh(sqrt(c) / 2 * (x_1 - c * t))^2
equation d(u, t) + 6 * u * d(u, x_1) + d(u, x_1, x_1, x_1) = 0
initial  u = c / 2 / cosh(sqrt(c) / 2 * x_1)^2
boundary u = exact(u)
boundary d(u, outward) = d(exact(u), outward)
