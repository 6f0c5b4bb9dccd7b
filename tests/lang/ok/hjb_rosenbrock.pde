dim    d = 250
param  T = 1
domain x in R(d)
time   t in [0, T]
field  u(x, t)
random c1_i ~ uniform(0.5, 1.5) for i = 1..d-1 seed 1
random c2_i ~ uniform(0.5, 1.5) for i = 1..d-1 seed 2
let    q(y) = sum_{i=1..d-1} (c1_i * (y_i - y_{i+1})^2 + c2_i * y_{i+1}^2)
let    g(y) = log((1 + q(y)) / 2)
equation d(u, t) + lap(u) - norm(grad(u))^2 = 0
terminal u = g(x)
ansatz u = (T - t) * net + g(x)
sample x_i ~ normal(0, 1)
reference u = -log(expect(w_i ~ normal(0, 1): exp(-g(x + sqrt(2*(T - t)) * w)))) samples 1000
