#~ E0314 7:13
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
solve {
  precision float46
}
