# Two materials. Each field holds on its own side; values and fluxes agree at points of the circle between them.
problem  "an interface"
domain   x in box(2, -1, 1)
field    u(x), v(x)
random   a_k ~ uniform(0, 2*pi) for k = 1..400
let      inside = if norm(x)^2 < 1/4 then 1 else 0
equation inside * (lap(u) - 4) = 0
equation (1 - inside) * (10 * lap(v) - 4) = 0
boundary v = norm(x)^2 / 10 + 9/40
observe  u - v = 0 at x_1 = cos(a_k) / 2, x_2 = sin(a_k) / 2 for k = 1..400 weight 10
observe  sum_i x_i * (d(u, x_i) - 10 * d(v, x_i)) = 0 at x_1 = cos(a_k) / 2, x_2 = sin(a_k) / 2 for k = 1..400
