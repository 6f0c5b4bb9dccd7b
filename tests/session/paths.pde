# For run_paths.c, cross/paths.py and resume.sh: a law whose variance is linear in time, forwards by a, backwards by
# b, and a start of the path, y, that all its points share.
dim    d = 64
param  T = 0.5, a = 1, b = 0, start = 0, spread = 0
domain x in R(d)
time   t in [0, T]
field  u(x, t)
equation d(u, t) + lap(u) + sin(u) = 0
terminal u = 5 / (10 + 2*norm(x)^2)
sample y ~ normal(1, 2)
sample x_i ~ normal(start*y, sqrt(spread + 2*a*t + 2*b*(T - t)))
solve {
  method sdgd(algorithm = 2, sets = slice)
  slices 4
}
