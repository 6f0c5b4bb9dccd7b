dim dim = 10
param time = 1, weight = 2, seed = 3, test = 4, at = 5, d2 = 6
domain x in ball(dim, 1)
field u(x)
let sample = time + weight, report = seed * test, in = at
equation lap(u) = sample + report + in + d2
boundary u = 0 weight weight
