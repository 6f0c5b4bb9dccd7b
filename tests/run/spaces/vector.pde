# Maxwell's equations of a static field: div of the exact potential is 0, and no entry is like another.
problem  "a vector potential, curl curl A = J"
domain   x in box(3, 0, 1)
field    A_k(x) for k = 1..3
exact    A_1 = x_2^2 * x_3
exact    A_2 = sin(x_1) + x_3^3
exact    A_3 = x_1 * x_2^2
let      B_k = curl(A)_k
let      J_1 = 0*x_1
equation sum_i (d(A_i, x_i, x_k) - d2(A_k, x_i)) = exact(curl(curl(A)))_k
