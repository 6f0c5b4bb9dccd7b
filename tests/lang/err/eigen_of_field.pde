#~ E0316 6:7
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
eigen u smallest
