#~ E0424 8:15
#~ E0424 8:20
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
solve {
  network mlp(128, 4)
}
