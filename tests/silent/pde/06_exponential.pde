problem "A source that falls with the solution as exp(-u)"
dim d = 2
domain x in box(d, 0, 1)
field u(x)
equation -lap(u) = 1e5*exp(-u)
boundary u = 0 exactly
report u at x_i = 0.5
