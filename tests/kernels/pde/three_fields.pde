# reaction and diffusion of three species, with transport by one another
dim    d = 16
param  D = 0.3, k = 2
domain x in box(d, -1, 1)
time   t in [0, 1]
field  u(x, t), v(x, t), w(x, t)
equation first: d(u, t) = D * lap(u) - k * u * v + sum_i d(u, x_i) * d(v, x_i)
equation second: d(v, t) = lap(v) - k * u * v + w * sum_i x_i * d2(w, x_i)
equation third: d(w, t) = D * lap(w) + k * u * v - sum_{i=1..d-1} d(w, x_i) * d2(u, x_{i+1})
initial u = exp(-norm(x)^2)
initial v = 1 - u
initial w = 0
boundary u = 0 weight 2 * k
boundary v + w = 1
