#~ E0422 3:57
dim d = 3
random c_i ~ normal(0, 1) for i = 1..d seed 0 generator xorshift
domain x in ball(d, 1)
field u(x)
equation lap(u) = sum_i c_i * x_i
boundary u = 0
