#~ E0433 8:38
dim d = 10
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
boundary u = 0
solve {
  network mlp(features = [x, x_i * x_j])
}
