#~ E0418 5:7
dim d = 100
domain x in ball(d, 1)
field u(x)
let F_1 = x_1
equation lap(u) = 1
