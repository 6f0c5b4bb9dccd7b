# Every direction of ten thousand conducts differently.
problem  "anisotropic reaction and diffusion"
dim      d = 10000
domain   x in ball(d, 1)
field    u(x)
let      c_i = 1 + sin(i) / 2
exact    u = (1 - norm(x)^2) * cos(sum_i c_i * x_i / sqrt(d))
equation sum_i c_i * d2(u, x_i) - u = g
source   g from exact
boundary u = 0 exactly
solve {
  network mlp(features = [norm(x)^2, sum_i c_i*x_i])
}
