# functions with corners, odd powers, quotients
dim    d = 6
domain x in box(d, 0.1, 1)
field  u(x)
equation sum_i d2(u, x_i) / (1 + abs(u)) + sum_i sign(x_i - 0.5) * d2(u, x_i) / (1 + d(u, x_i)^2) = (1 + norm(x)^2)^1.5 / sqrt(x_1) + erf(u)
boundary u = atan(norm(x)) + x_1^2.5 + asin(x_1 / 2) + tan(x_1) + log1p(x_1) + expm1(x_1) + sinh(x_1) + acos(x_1 / 2) + cosh(x_1) + erfc(x_1)
