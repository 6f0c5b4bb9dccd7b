#~ E0417 3:21
dim d = 100
domain x in ball(d, u)
field u(x)
equation lap(u) = 1
