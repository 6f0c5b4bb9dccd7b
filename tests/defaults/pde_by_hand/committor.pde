# The probability to reach the right end of a tilted double well first.
problem  "committor of a double well"
dim      d = 1
param    beta = 4
domain   x in box(d, -1, 1)
field    q(x)
let      V(y) = (y^2 - 1/2)^2 * 4 + y / 3
equation d2(q, x_1) - beta * (16 * x_1 * (x_1^2 - 1/2) + 1/3) * d(q, x_1) = 0
boundary q = (1 + x_1) / 2
reference q = integral(s = -1..0: exp(beta * V(s))) / integral(s = -1..1: exp(beta * V(s))) at x_1 = 0
reference q = integral(s = -1..-0.4: exp(beta * V(s))) / integral(s = -1..1: exp(beta * V(s))) at x_1 = -0.4
solve {
  network mlp(features = [x_1, tanh(5*x_1)])
}
