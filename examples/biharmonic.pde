# Biharmonic equation on an annulus; every three neighbouring coordinates interact.
# Shows: fourth order: d^2 terms over pairs, a normal derivative on the boundary, a source of fourth
# order in O(d).
# Run:  pdec examples/biharmonic.pde -o x.so && pderun x.so --set d=20
# Published (HTE code): radius uniform on (1, 2), 512 normal directions with the factor 1/3, 100
# points, network [d,128,128,128,1] tanh, 10,000 Adam steps, rate linear from 1e-3 to 0.
# Trap: +-1 directions are biased at fourth order. Published runs give only u = 0 on the boundary,
# which is one condition too few; this file states both.

problem "Biharmonic equation on the annulus 1 < |x| < 2, three-body exact solution"
dim    d = 200
domain x in annulus(d, 1, 2)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d-2
exact  u = (1 - norm(x)^2) * (4 - norm(x)^2) * sum_{i=1..d-2} c_i * exp(x_i * x_{i+1} * x_{i+2})
equation sum_ij d4(u, x_i, x_i, x_j, x_j) = g
source g from exact
boundary u = 0 exactly
boundary d(u, outward) = d(exact(u), outward)
sample x ~ radial(uniform)
