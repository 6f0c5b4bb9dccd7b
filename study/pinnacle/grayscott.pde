# stated as periodic; there is no public reference
problem  "PINNacle: Gray-Scott"
domain   x in torus(2, -1, 1)
time     t in [0, 200]
field    u(x, t), v(x, t)
equation d(u, t) = 1e-5 * lap(u) + 0.04 * (1 - u) - u * v^2
equation d(v, t) = 5e-6 * lap(v) - 0.1 * v + u * v^2
initial  u = 1 - exp(-80 * ((x_1 + 0.05)^2 + (x_2 + 0.02)^2))
initial  v = exp(-80 * ((x_1 - 0.05)^2 + (x_2 - 0.02)^2))
