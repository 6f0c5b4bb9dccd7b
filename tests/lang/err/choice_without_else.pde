#~ E0201 4:38
domain x in box(2, 0, 1)
field u(x)
equation lap(u) = if x_1 < 1/2 then 1
boundary u = 0
