#~ E0316 5:8
dim d = 100
domain x in ball(d, 1)
field u(x)
ansatz w = net
equation lap(u) = 1
