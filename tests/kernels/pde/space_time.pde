# mixed derivatives in space and time, sampled and fixed
dim    d = 8
domain x in box(d, 0, 1)
time   t in [0, 2]
field  u(x, t)
equation d2(u, t) + sum_i x_i * d(u, t, x_i) * d(u, x_i) + sum_i (1 + t) * d(u, x_i, x_i, t) - sum_i d(u, t, t, x_i) * d(u, x_i)
       + d(u, t, x_1) = sin(t) * u
initial u = norm(x)^2
initial d(u, t) = max_i x_i
boundary u = t
