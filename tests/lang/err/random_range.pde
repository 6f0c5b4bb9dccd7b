#~ E0409 5:31
dim d = 100
domain x in ball(d, 1)
field u(x)
random c_i ~ normal(0, 1) for i = 2..d
equation lap(u) = 1
