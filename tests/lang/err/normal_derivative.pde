#~ E0301 5:15
domain x in [0, 1], y in [0, 1]
field u(x, y)
equation lap(u) = 1
boundary d(u, n) = 0
