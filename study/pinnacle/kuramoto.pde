# stated as periodic; there is no public reference
problem  "PINNacle: Kuramoto-Sivashinsky"
domain   x in [0, 2*pi] periodic
time     t in [0, 1]
field    u(x, t)
equation d(u, t) + 100/16 * u * d(u, x) + 100/16^2 * d2(u, x) + 100/16^4 * d4(u, x) = 0
initial  u = cos(x) * (1 + sin(x))
