#~ E0404 5:26
dim d = 10, m = 5
domain x in ball(d, 1), y in ball(m, 1)
field u(x, y)
equation lap(u) = norm(x + y)
boundary u = 0
