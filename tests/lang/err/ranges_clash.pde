#~ E0407 6:21
dim d = 100
domain x in ball(d, 1)
field u(x)
random c_i ~ normal(0, 1) for i = 1..d-1
let a = sum_i c_i * x_i
equation lap(u) = 1
