# coupled fields on the ball, both built to vanish
dim    d = 9
domain x in ball(d, 1)
field  p(x), q(x)
exact  p = (1 - norm(x)^2) * sum_i sin(x_i)
exact  q = (1 - norm(x)^2) * cos(sum_i x_i / sqrt(d))
equation a: lap(p) + q * sum_i d(p, x_i) = g
equation b: sum_i (1 + x_i^2) * d2(q, x_i) - p * q = h
source g, h from exact
boundary p = 0 exactly
boundary q = 0 exactly
