#~ E0315 7:18
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
solve {
  optimiser adam(warmup = 100)
}
