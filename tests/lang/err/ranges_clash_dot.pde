#~ E0407 6:9
dim d = 100
domain x in ball(d, 1)
field u(x)
random c_i ~ normal(0, 1) for i = 1..d-1
let a = dot(c, x)
equation lap(u) = 1
