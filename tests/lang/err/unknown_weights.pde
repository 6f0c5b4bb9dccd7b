#~ E0314 7:11
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
solve {
  weights balanse(every = 100)
}
