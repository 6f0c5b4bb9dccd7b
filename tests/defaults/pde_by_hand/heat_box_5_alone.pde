# The heat equation on a cube with cold walls.
problem  "heat in a cube"
dim      d = 5
domain   x in box(d, 0, 1)
time     t in [0, 0.1]
field    u(x, t)
exact    u = exp(-d * pi^2 * t / 4) * prod_i sin(pi * x_i)
equation d(u, t) = lap(u) / 4
initial  u = prod_i sin(pi * x_i)
boundary u = 0
solve {
  network mlp(features = [prod_i sin(pi*x_i), t*20 - 1])
}
