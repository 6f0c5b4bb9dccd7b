#~ E0509 6:1
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
boundary u = 0 exactly
ansatz u = (1 - norm(x)^2) * net
