# the public reference has a time-integration error of about 3.5 %: no solver can score below it
problem  "PINNacle: Heat 2d-LT"
domain   x in [0, 1], y in [0, 1]
time     t in [0, 100]
field    u(x, y, t)
equation d(u, t) = 0.001 * lap(u) + 5 * sin(u^2) * (1 + 2 * sin(pi*t/4)) * sin(4*pi*x) * sin(2*pi*y)
initial  u = sin(4*pi*x) * sin(3*pi*y)
boundary u = 0
