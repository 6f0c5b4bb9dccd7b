#~ E0504 4:7
dim d = 100
domain x in ball(d, 1)
field u(x)
