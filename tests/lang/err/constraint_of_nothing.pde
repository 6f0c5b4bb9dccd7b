#~ E0520 4:1
domain x in box(2, 0, 1)
field u(x)
constraint mean(x_1) = 1
equation lap(u) = 1
boundary u = 0
