# The integral of what is not linear in the field, over a box whose volume is not 1: run_constraint.c.
problem "A constraint"
dim        d = 2
domain     x in box(d, -1, 2)
field      u(x)
equation   lap(u) = 1
constraint integral(exp(x_1) * (u + 1)^2 + u * d(u, x_2)) = 3 weight 2
