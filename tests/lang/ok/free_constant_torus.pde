#~ W1206 5:1
dim d = 2
domain x in torus(d, 0, 2*pi)
field u(x)
equation lap(u) = sin(x_1)
