# Conditions on whole gradients: in full (initial, boundary), sampled (of the velocity), and with a sum in
# each entry, which only in full can be had.
problem "Wave equation, gradients given at the ends"
dim    d = 6
domain x in ball(d, 1)
time   t in [0, 1]
field  u(x, t)
exact  u = cosh(t) * sum_i sinh(x_i) + t * sum_i x_i^3 / 6
equation d2(u, t) = sum_i d2(u, x_i) - t * sum_i x_i
initial  u = exact(u)
initial  grad(u) = grad(exact(u)) weight 3
initial  d(u, t) = sum_i x_i^3 / 6
initial  grad(d(u, t)) = grad(d(exact(u), t)) weight 2
initial  norm(grad(u))^2 * grad(u) = norm(grad(exact(u)))^2 * grad(exact(u))
boundary grad(u) = grad(exact(u))
