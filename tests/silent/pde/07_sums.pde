# Sums over coordinates of positive numbers: what each addition rounds off adds up, and nothing cancels.
problem "Sums of many"
dim d = 1000
domain x in box(d, 0, 1)
field u(x)
equation sum_i d2(u, x_i) = norm(x)^2 + sum_{i=1..d-1} sin(x_i) * sin(x_{i+1})
boundary u = 1
