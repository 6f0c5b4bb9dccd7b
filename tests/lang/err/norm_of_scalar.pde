#~ E0421 5:24
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = norm(u)
