#~ E0314 7:25
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
solve {
  optimiser adam(rate = liner(1e-3, 0))
}
