dim d = 10
domain x in R(d)
time t in [0, 1]
field u(x, t)
random c_i ~ uniform(-1, 1) for i = 1..d-1 seed 3
let f(y) = log((1 + norm(y)^2) / 2), g(a, b) = a * b
let y = x + 2 * x, F_i = g(c_1, x_i), n = norm(c)
let q(z)_i = z * x_i
equation d(u, t) + div(grad(u)) + dot(F, grad(u)) + sum_i q(u)_i + n = trace(hessian(u)) + f(y) + g(1, 2)
terminal u = f(x)
sample s ~ uniform(0, 1)
sample x_i ~ normal(0, sqrt(1 + 2*t*s))
test x_i ~ normal(0, 1)
reference u = -log(expect(w_i ~ normal(0, 1), r ~ uniform(0, 1): exp(-f(x + sqrt(2*(1 - t)) * w) * r))) samples 1000
report integral(l = 0..inf: exp(-l) * l^2)
