#~ E0507 3:13
dim d = 100
domain x in R(d)
field u(x)
equation lap(u) = 1
