problem  "PINNacle: Burgers 1d-C"
param    nu = 0.01 / pi
domain   x in [-1, 1]
time     t in [0, 1]
field    u(x, t)
equation d(u, t) + u * d(u, x) = nu * d2(u, x)
initial  u = -sin(pi*x)
boundary u = 0
