domain x in box(20, 0, 1)
field u(x)
equation lap(u) = 1
boundary u = 0 on x_1 = 0 or x_2 = 0 or x_3 = 0 or x_4 = 0 or x_5 = 0 or x_6 = 0 or x_7 = 0 or x_8 = 0 or x_9 = 0 or x_10 = 0 or x_11 = 0 or x_12 = 0 or x_13 = 0 or x_14 = 0 or x_15 = 0 or x_16 = 0
