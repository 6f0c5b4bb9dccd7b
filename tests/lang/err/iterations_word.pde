#~ E0422 7:14
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
solve {
  iterations many
}
