#~ E0437 4:18
dim d = 3
domain x in box(3, 0, 1)
field v_k(x) for k = 1..d
equation div(v) = 1
boundary v_1 = 0
