problem "Sine-Gordon on the unit ball"
dim    d = 100000
domain x in ball(d, 1)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-1 seed 7
exact  u = (1 - norm(x)^2) * sum_{i=1..d-1} c_i * sin(x_i + cos(x_{i+1}) + x_{i+1} * cos(x_i))
equation sum_i d2(u, x_i) + sin(u) = g
source g from exact
boundary u = 0 exactly                      # the compiler builds the factor 1 - |x|^2
sample x ~ radial(uniform)                  # law used by the published runs
solve {
  network  mlp(width = 128, depth = 4, activation = tanh)
  method   sdgd(algorithm = 3, terms = 100, points = 100)
  optimiser adam(rate = linear(1e-3, 0))
  iterations 10000
  seed     0
}
