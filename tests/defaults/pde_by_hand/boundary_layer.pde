# Advection against a wall: a boundary layer of width 1/50.
problem  "boundary layer"
dim      d = 1
param    e = 0.02
domain   x in box(d, 0, 1)
field    u(x)
exact    u = x_1 - (exp((x_1 - 1) / e) - exp(-1 / e)) / (1 - exp(-1 / e))
equation d(u, x_1) - e * d2(u, x_1) = 1
boundary u = 0
solve {
  network mlp(features = [2*x_1 - 1, exp((x_1 - 1)/e)])
}
