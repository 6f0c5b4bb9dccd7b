# an L: three quarters of a square; its two inner edges are observed
problem  "Helmholtz on an L"
domain   x in box(2, -1, 1) where x_1 < 0 or x_2 < 0
field    u(x)
let      wave(a, b) = sin(a) * exp(b / 2)
random   S_k ~ uniform(0, 1) for k = 1..200
equation lap(u) = -3/4 * wave(x_1, x_2)
boundary u = wave(x_1, x_2)
observe  u = 0 at x_1 = 0, x_2 = S_k for k = 1..200
observe  u = wave(S_k, 0) at x_1 = S_k, x_2 = 0 for k = 1..200
reference u = wave(x_1, x_2)
