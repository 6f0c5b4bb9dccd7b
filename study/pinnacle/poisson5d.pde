problem  "PINNacle: High-dim PNd"
dim      d = 5
domain   x in box(d, 0, 1)
field    u(x)
let      w = sum_i sin(pi/2 * x_i)
equation lap(u) + pi^2/4 * w = 0
boundary u = w
reference u = w
