# integrals with ends that differ from point to point, finite and not
dim    d = 5
param  T = 1
domain x in box(d, 0.1, 1)
time   t in [0, T]
field  u(x, t)
equation d(u, t) = lap(u) - u * integral(s = 0..1 + norm(x)^2: exp(-s^2 * (1 + t)))
initial u = integral(s = norm(x)^2..inf: exp(-s) * sin(s))
boundary u = integral(s = -inf..t: exp(s) * cos(s)) + integral(s = 0..T: exp(-s * x_1)) + integral(s = -inf..inf: exp(-s^2) * x_1) - integral(s = -inf..0: exp(2 * s))
