# A static magnetic field by its vector potential; no entry is like another, so that every sign counts.
problem  "curl curl A = J"
domain   x in box(3, 0, 1)
field    A_k(x) for k = 1..3
exact    A_1 = x_2^2 * x_3
exact    A_2 = sin(x_1) + x_3^3
exact    A_3 = x_1 * x_2^2
let      B_k = curl(A)_k
source   f, g, h from exact
equation curl(B)_1 = f
equation curl(B)_2 = g
equation curl(B)_3 = h
equation gauge: div(A) = 0
boundary A = exact(A)
