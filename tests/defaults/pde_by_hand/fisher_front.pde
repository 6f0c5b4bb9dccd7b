# A Fisher-KPP front: growth and diffusion of a population.
problem  "Fisher-KPP front"
dim      d = 1
domain   x in box(d, -10, 20)
time     t in [0, 3]
field    u(x, t)
exact    u = (1 + exp((x_1 - 5 * t / sqrt(6)) / sqrt(6)))^(-2)
equation d(u, t) = d2(u, x_1) + u * (1 - u)
initial  u = (1 + exp(x_1 / sqrt(6)))^(-2)
boundary u = exact(u)
solve {
  network mlp(features = [(x_1 - 5)/8, t/1.5 - 1])
}
