#~ E0512 7:8
dim d = 100
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
exact u = norm(x)^2
source g from exact
