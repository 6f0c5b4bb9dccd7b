# A trial function that does not see its network: every reported value has a formula (run/report.sh).
problem "Reports of a known function"
dim    d = 3000
param  T = 1
domain x in box(d, 0, 2)
time   t in [0, T]
field  V(x, t)
unknown k = 0.25
ansatz V = norm(x)^2 * exp(T - t) + 0 * net
equation d(V, t) + k * sum_i x_i^2 * d2(V, x_i) = 0
boundary V = 1 weight 1
report V at x_i = 1, t = 0
report d(V, x_1) at x_i = 1 + 1/i, t = 0
report lap(V) + k at x_i = i/d, t = 0.5
report sum_i x_i^2 * d2(V, x_i) at x_i = 1, t = 0
report sqrt(sum_i d(V, x_i)^2) at x_i = 1, t = 1
report integral(l = 0..inf: exp(-l))
