#~ E0521 4:22
domain x in box(2, 0, 1)
field u(x)
constraint mean(u) = u
equation lap(u) = 1
boundary u = 0
