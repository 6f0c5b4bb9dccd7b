#~ E0208 5:1
dim d = 100
domain x in ball(d, 1)
field u(x)
k = 2
equation lap(u) = 1
