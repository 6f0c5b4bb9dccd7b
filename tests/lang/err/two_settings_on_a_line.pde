#~ E0201 7:28
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
solve {
  network mlp(width = 128) seed 3
}
