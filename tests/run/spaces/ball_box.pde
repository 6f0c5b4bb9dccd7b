# 50 dimensions; zero on the ball by the ansatz, data on the faces of the box
problem  "A membrane in a ball for every load in a box"
dim      d = 30, m = 20
domain   x in ball(d, 1), y in box(m, -1, 1)
field    u(x, y)
let      load = exp(mean_j y_j)
equation sum_i d2(u, x_i) + d^2 * sum_j d2(u, y_j) - d^2 * u = -(2*d + (d^2 - d^2/m) * (1 - norm(x)^2)) * load
boundary u = (1 - norm(x)^2) * load
ansatz   u = (1 - norm(x)^2) * net
reference u = (1 - norm(x)^2) * load
