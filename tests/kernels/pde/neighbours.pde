# terms that need the derivatives of neighbouring coordinates
dim    d = 15
domain x in ball(d, 1)
field  u(x)
equation sum_{i=1..d-1} (d(u, x_{i+1}) - d(u, x_i))^2 * d2(u, x_i) + sum_{i=2..d} d2(u, x_{i-1}) * d(u, x_i) * x_{i-1}
       + sum_{i=2..d-1} d2(u, x_{i+1}) * x_{i-1} = u^3
boundary u = 0
