# values on one sphere, the flux on the other
problem  "A shell in three dimensions"
domain   x in annulus(3, 1, 2)
field    u(x)
equation lap(u) = 0
boundary u = 1                on inner exactly
boundary d(u, outward) = -1/4 on outer
reference u = 1 / norm(x)
