dim d = 5
domain x in annulus(d, 1, 2)
field u(x)
exact u = norm(x)^2
equation bilap(u) = 0
boundary u = exact(u)
boundary d(u, outward) = d(exact(u), outward)
sample x ~ uniform
