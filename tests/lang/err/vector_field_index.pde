#~ E0437 3:18
domain x in box(3, 0, 1)
field v_k(x) for i = 1..3
equation div(v) = 1
boundary v_1 = 0
