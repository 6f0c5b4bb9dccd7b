#~ E0507 3:30
dim d = 10, m = 5
domain x in ball(d, 1), y in R(m)
field u(x, y)
equation lap(u) = 1
boundary u = 0
