#~ E0404 7:53
dim d = 10, m = 5
domain x in ball(d, 1), y in ball(m, 1)
field u(x, y)
equation lap(u) = 1
boundary u = 0
reference u = 1 + expect(w_i ~ normal(0, 1): norm(x + w)) at x_i = 0, y_i = 0
