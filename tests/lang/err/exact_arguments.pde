#~ E0415 7:14
dim d = 100
domain x in ball(d, 1)
field u(x)
exact u = norm(x)^2
equation lap(u) = 1
boundary u = exact(u, 2)
