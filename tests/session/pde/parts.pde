# Two fields with conditions on parts of the boundary and observations, in a box with a hole: run_joint.c.
problem "Two fields, parts of the boundary"
dim    d = 2
domain x in box(d, -1, 1) where x_1^2 + x_2^2 > 0.09
field  u(x), v(x)
equation first: lap(u) = v
equation second: lap(v) = u
boundary u = x_2 on x_1 = -1
boundary v = 1 on x_1 = -1 weight 2
boundary u = 2 on x_1 = 1
boundary v = 3 on x_1 = 1
boundary u = x_1 on x_2 = -1 or x_2 = 1
boundary d(v, outward) = 0 on x_2 = -1 or x_2 = 1
observe  u = 0 at x_1 = 0.5, x_2 = 0
observe  v = 0 at x_1 = 0.5, x_2 = 0
