# points of a domain: run_domains.c looks at their moments, forms.sh at those of a device
dim d = 4
domain x in ball(d, 2)
field u(x)
equation lap(u) - u^3 = sum_i sin(x_i)
boundary d(u, outward) + u = x_1
solve {
  network mlp(width = 8, depth = 3)
  attack  sign(steps = 1, size = 0.01)
}
