#~ E0304 5:10
dim d = 100
domain x in ball(d, 1)
field u(x)
equation laplacian(u) = 1
