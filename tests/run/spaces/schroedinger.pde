# i h_t + h_xx / 2 + |h|^2 h = 0 with h = a + i b: a soliton that moves.
problem  "nonlinear Schroedinger"
domain   x in [-6, 6]
time     t in [0, 1]
field    h_k(x, t) for k = 1..2
let      q = 1 / cosh(x - t), angle = x
equation -d(h_2, t) + d2(h_1, x) / 2 + dot(h, h) * h_1 = 0
equation d(h_1, t) + d2(h_2, x) / 2 + dot(h, h) * h_2 = 0
initial  h_1 = q * cos(angle)
initial  h_2 = q * sin(angle)
boundary h_1 = q * cos(angle)
boundary h_2 = q * sin(angle)
reference h_1 = q * cos(angle)
reference h_2 = q * sin(angle)
