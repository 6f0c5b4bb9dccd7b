dim d = 20
domain x in ball(d, 1)
field u(x)
unknown nu in (0, 1) = 0.1
unknown mu in [1, 2]
equation nu * lap(u) + mu * u = 1
reference nu = 0.3
report nu
