#~ E0314 7:10
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
solve {
  attack sing(steps = 5)
}
