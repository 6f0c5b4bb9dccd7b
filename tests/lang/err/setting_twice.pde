#~ E0302 8:3
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
solve {
  seed 1
  seed 2
}
