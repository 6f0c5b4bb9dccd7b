# three vectors: sums over each and over all, pairs across two of them, a law of its own, semiaxes behind other rows
dim      d = 4, m = 3
random   a_j ~ uniform(1, 2) for j = 1..m
domain   x in ball(d, 1), y in ellipsoid(m, a_j), z in R(2)
time     t in [0, 1]
field    u(x, y, z, t)
exact    u = exp(-t) * (1 - norm(x)^2) * cos(sum_j y_j) + z_1 * y_2
equation d(u, t) = lap(u) + sum_ij d2(x_i * y_j * u, x_i, y_j) + 3 * sum_j d2(u, y_j) + sum_k sin(z_k) * d(u, z_k) * u + sum_{i=1..m-1} y_i * d2(u, y_i, y_{i+1}) + g
source   g from exact
initial  u = exact(u)
boundary d(u, outward) + u = d(exact(u), outward) + exact(u)
sample   z_k ~ normal(0, 1 + t)
reference u = 2 at x_i = i/10, y_1 = 0.1, y_2 = 0.2, y_3 = 0.3, z_j = 0.5*j, t = 0.5
report   d(u, y_2) + u at x_i = i/10, y_j = j/20, z = 0.5, t = 0.25
