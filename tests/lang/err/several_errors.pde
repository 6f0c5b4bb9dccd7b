#~ E0104 7:12
#~ E0202 8:19
#~ E0208 9:1
dim d = 100
domain x in ball(d, 1)
field u(x)
param k = 2**3
equation lap(u = 1
boundry u = 0
