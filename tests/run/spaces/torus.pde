problem  "A screened potential on a torus"
dim      d = 2
domain   x in torus(d, -1, 1)
field    u(x)
let      wave = sum_{i=1..d-1} sin(pi*x_i) * cos(pi*x_{i+1})
equation lap(u) - u = -(2*pi^2 + 1) * wave
reference u = wave
