#~ E0313 7:3
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
solve {
  iteration 1000
}
