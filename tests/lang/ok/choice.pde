dim d = 2
domain x in box(d, 0, 1)
field u(x)
let k = if x_1 < 1/2 then 1 else 2
equation lap(u) = k
boundary u = 0
let c = if x_1 > 1/2 and x_2 <= 1/4 or x_1 >= 3/4 then -x_1 else 2 * if (x_2) < 1/2 then 1 else 2 + x_1
let if = 3, z = if + 1
