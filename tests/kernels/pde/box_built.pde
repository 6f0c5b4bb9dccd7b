dim    d = 6
domain x in box(d, -1, 2)
field  u(x)
equation lap(u) - u^3 = norm(x)^2
boundary u = sum_i x_i exactly
