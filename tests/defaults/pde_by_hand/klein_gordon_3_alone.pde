# A massive field in a box of three dimensions, which rings at one frequency.
problem  "Klein-Gordon in a box"
dim      d = 3
param    m = 2
domain   x in box(d, 0, 1)
time     t in [0, 1]
field    u(x, t)
exact    u = cos(sqrt(d * pi^2 + m^2) * t) * prod_i sin(pi * x_i)
equation d2(u, t) = lap(u) - m^2 * u
initial  u = prod_i sin(pi * x_i)
initial  d(u, t) = 0
boundary u = 0
solve {
  network mlp(features = [prod_i sin(pi*x_i), 2*t - 1])
}
