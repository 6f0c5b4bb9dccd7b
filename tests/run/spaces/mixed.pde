# each side of a rectangle has a condition of another kind
problem  "Dirichlet, Neumann and Robin on a rectangle"
domain   x in [0, 1], y in [0, 2]
field    u(x, y)
let      wave = exp(x) * cos(y)
equation d2(u, x) + d2(u, y) = 0
boundary u = wave                        on x = 0
boundary d(u, outward) = exp(1) * cos(y) on x = 1
boundary d(u, outward) = 0               on y = 0
boundary d(u, outward) + 2 * u = exp(x) * (2 * cos(2) - sin(2)) on y = 2
reference u = wave
