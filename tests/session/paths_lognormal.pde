# For run_paths.c: geometric Brownian motion, between two times of which the first is not the start.
dim    d = 64
domain x in R(d)
time   t in [0, 1]
field  u(x, t)
equation d(u, t) + sum_i 0.08 * x_i^2 * d(u, x_i, x_i) = 0
terminal u = norm(x)^2
sample t ~ uniform(0.2, 0.8)
sample x_i ~ lognormal(-0.08*t, 0.4*sqrt(t))
