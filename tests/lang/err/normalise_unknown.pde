#~ W1104 6:1
dim d = 6
domain x in ball(d, 1)
field u(x)
equation lap(u) = u^3
normalise u^2 : integral(x) = 1
boundary u = 0
