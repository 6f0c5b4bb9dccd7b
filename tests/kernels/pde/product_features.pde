# features of two vectors of different length
dim      d = 3, m = 5
domain   x in ball(d, 1), y in box(m, 0, 1)
field    u(x, y)
equation lap(u) + sum_j y_j * d(u, y_j) = sin(u)
boundary u = norm(y)
solve {
  network mlp(features = [x, y, norm(x)^2])
}
