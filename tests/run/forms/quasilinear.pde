problem "Quasilinear: diffusion that depends on the gradient"
dim d = 5
domain x in ball(d, 1)
field u(x)
exact u = norm(x)^2
equation sum_i d(d(u, x_i) * (1 + sum_j d(u, x_j)^2), x_i) = g
source g from exact
boundary u = 1
