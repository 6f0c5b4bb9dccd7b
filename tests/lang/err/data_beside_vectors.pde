#~ E0440 4:6
dim d = 10, m = 5
domain x in ball(d, 1), y in ball(m, 1)
data c_i from "c.npy"
field u(x, y)
equation lap(u) = 1
