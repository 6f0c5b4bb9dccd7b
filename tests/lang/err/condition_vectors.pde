#~ E0404 7:10
dim      d = 5
domain   x in ball(d, 1)
field    u(x)
random   c_i ~ normal(0, 1) for i = 1..d-1
equation lap(u) = 1
boundary grad(u) = c
