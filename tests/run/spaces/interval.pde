# two numbers with intervals of their own
problem  "Helmholtz on a rectangle"
domain   x in [0, 1], y in [-1, 2]
field    u(x, y)
let      wave = sin(2*x) * exp(y / 2)
equation d2(u, x) + d2(u, y) + 4 * u = wave / 4
boundary u = wave
reference u = wave
