# A static magnetic field by its vector potential; no entry is like another, so that every sign counts.
problem  "curl curl A = J"
domain   x in box(3, 0, 1)
field    A_k(x) for k = 1..3
let      a = x_2^2 * x_3, b = sin(x_1) + x_3^3, c = x_1 * x_2^2
let      B_k = curl(A)_k
equation curl(B)_1 = -2*x_3
equation curl(B)_2 = sin(x_1) - 6*x_3
equation curl(B)_3 = -2*x_1
equation gauge: div(A) = 0
boundary A_1 = a
boundary A_2 = b
boundary A_3 = c
reference A_1 = a
reference A_2 = b
reference A_3 = c
