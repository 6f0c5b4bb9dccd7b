#~ E0409 3:27
domain x in box(2, 0, 1)
data U_k from "u.npy" for i = 1..9
field u(x)
equation lap(u) = U_1
boundary u = 0
