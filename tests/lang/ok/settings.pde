dim d = 10
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
boundary u = 0 exactly
solve {
  # comments and blank lines are fine

  network   mlp(features = [x/sqrt(d), norm(x)^2/d],
                width = 64, depth = 3)
  method    sdgd(algorithm = 2, terms = d/2, points = 100)
  optimizer adam(rate = 1e-3, beta1 = 0.9)
  iterations = 1000
  seed 7
}
