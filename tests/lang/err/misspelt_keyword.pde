#~ E0208 4:1
dim d = 100
domain x in ball(d, 1)
feild u(x)
equation lap(u) = 1
