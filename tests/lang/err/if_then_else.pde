#~ E0260 5:9
dim d = 2
domain x in box(d, 0, 1)
field u(x)
let k = if x_1 < 1/2 then 1 else 2
equation lap(u) = k
boundary u = 0
