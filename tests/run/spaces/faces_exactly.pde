# two parts met by construction, no flux through the other faces
problem  "Between two faces of a cube"
domain   x in box(3, 0, 1)
field    u(x)
let      wave = cos(pi * x_2)
equation lap(u) = -pi^2/4 * sin(pi/2 * x_1) - pi^2 * x_1 * wave
boundary u = 0        on x_1 = 0 exactly
boundary u = 1 + wave on x_1 = 1 exactly
boundary d(u, outward) = 0 on x_2 = 0 or x_2 = 1 or x_3 = 0 or x_3 = 1
reference u = sin(pi/2 * x_1) + x_1 * wave
