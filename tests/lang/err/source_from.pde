#~ E0209 7:15
dim d = 100
domain x in ball(d, 1)
field u(x)
exact u = norm(x)^2
equation lap(u) = g
source g from solution
