#~ E0428 5:16
dim d = 100
domain x in ball(d, 1)
field u(x)
data A_ij from "a.csv"
equation lap(u) = 1
