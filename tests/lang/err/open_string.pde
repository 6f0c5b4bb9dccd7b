#~ E0103 2:9
problem "Heat equation
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
