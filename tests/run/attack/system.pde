problem "third order neighbours, systems, box"
dim    d = 8
domain x in box(d, -1, 1)
time   t in [0, 1]
field  u(x, t), v(x, t)
unknown k = 0.5
equation d(u, t) = k * sum_{i=1..d-1} x_i * x_{i+1} * d2(u, x_i) + sum_i d3(u, x_i) * x_i + v * sum_i x_i * d(v, x_i)
equation d(v, t) = sum_i d2(v, x_i) + sum_i abs(d(u, x_i))^3 - exp(t) * u
initial u = norm(x)^2
initial v = 1
boundary u = 1
boundary v = 1
solve {
  attack sign(steps = 3)
}
