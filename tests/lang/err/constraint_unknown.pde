#~ E0587 4:1
domain x in box(2, 0, 1)
field u(x)
constraint median(u) = 0
equation lap(u) = 1
boundary u = 0
