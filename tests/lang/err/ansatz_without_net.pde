#~ E0510 6:12
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
ansatz u = 1 - norm(x)^2
