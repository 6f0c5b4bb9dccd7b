# values on the square, the flux into a hole that is none of its faces
problem  "A square with a hole"
domain   x in box(2, -1, 1) where norm(x)^2 > 1/4
field    u(x)
random   a_k ~ uniform(0, 2*pi) for k = 1..400
equation lap(u) = 0
boundary u = log(norm(x)^2) / 2
observe  cos(a_k) * d(u, x_1) + sin(a_k) * d(u, x_2) = 2 at x_1 = cos(a_k) / 2, x_2 = sin(a_k) / 2 for k = 1..400
reference u = log(norm(x)^2) / 2
