#~ E0408 4:23
domain x in box(2, 0, 1)
field v_k(x) for k = 1..2
equation lap(v_k) = v_3
boundary v = 0
