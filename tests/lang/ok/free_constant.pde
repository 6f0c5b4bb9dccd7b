#~ W1206 6:1
dim d = 2
domain x in ball(d, 1)
field u(x)
exact u = norm(x)^2 + 5
equation lap(u) = 4
boundary d(u, outward) = 2
