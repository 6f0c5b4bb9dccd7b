#~ E0508 7:8
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
ansatz u = net
ansatz u = 2 * net
