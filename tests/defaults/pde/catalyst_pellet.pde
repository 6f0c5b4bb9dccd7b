# A first-order reaction in a spherical catalyst pellet: concentration falls steeply from the surface (Thiele modulus 8).
problem  "catalyst pellet"
dim      d = 3
param    phi = 8
domain   x in ball(d, 1)
field    c(x)
exact    c = sinh(phi * norm(x)) / (norm(x) * sinh(phi))
equation lap(c) = phi^2 * c
boundary c = 1
