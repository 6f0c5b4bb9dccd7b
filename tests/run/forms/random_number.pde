# a random constant without an index: one number
dim d = 4
domain x in box(d, 0, 1)
field u(x)
random a ~ normal(2, 1) seed 3
equation a * lap(u) + u^2 = a * x_1
boundary u = 0 exactly
