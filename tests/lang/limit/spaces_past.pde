#~ E0713 3:1
domain a in [0, 1], b in [0, 1], c in [0, 1], e in [0, 1], f in [0, 1], g in [0, 1], h in [0, 1], k in [0, 1]
domain l in [0, 1]
field u(a, b, c, e, f, g, h, k, l)
equation lap(u) = 1
boundary u = 0
