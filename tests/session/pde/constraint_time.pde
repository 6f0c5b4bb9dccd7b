# A mean at every time: run_constraint.c.
problem "A constraint with time"
dim        d = 3
domain     x in ball(d, 2)
time       t in [1, 3]
field      u(x, t)
equation   d(u, t) = lap(u)
constraint mean(u^2) = exp(-t)
