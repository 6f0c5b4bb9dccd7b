#~ E0422 5:32
dim d = 100
domain x in ball(d, 1)
field u(x)
random c_i ~ normal(0, 1) seed 1.5
equation lap(u) = 1
