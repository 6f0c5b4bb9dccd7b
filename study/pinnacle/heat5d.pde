problem  "PINNacle: High-dim HNd"
dim      d = 5
domain   x in ball(d, 1)
time     t in [0, 1]
field    u(x, t)
let      w = exp(norm(x)^2 / 2 + t)
equation d(u, t) = lap(u) / d - norm(x)^2 / d * w
initial  u = exp(norm(x)^2 / 2)
boundary d(u, outward) = w
reference u = w
