# A charge cloud between two spheres: Poisson-Boltzmann with a source that makes the solution known.
problem  "Poisson-Boltzmann between spheres"
dim      d = 50
domain   x in annulus(d, 1, 2)
field    u(x)
exact    u = log(1 + norm(x)^2) / 2 + sin(sum_i x_i / sqrt(d)) / 2
equation lap(u) = sinh(u) + g
source   g from exact
boundary u = exact(u)
solve {
  network mlp(features = [norm(x)^2/2 - 1, sum_i x_i/sqrt(d)])
}
