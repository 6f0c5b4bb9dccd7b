#~ E0440 4:8
dim d = 10, m = 5
domain x in ball(d, 1), y in ball(m, 1)
random c_i ~ normal(0, 1)
field u(x, y)
equation lap(u) = sum_{i=1..d} c_i
