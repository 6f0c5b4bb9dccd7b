# Wave equation on the unit ball, both initial conditions met by the ansatz.
# Shows: an ansatz with t^2, proven to meet a value and a time derivative.
# Run:  pdec examples/wave_ansatz.pde -o x.so && pderun x.so
# Expect: relative L2 error 1.5e-3 (a fitted constant times t^2 has 0.2), a second on one core.
# Published (STDE code): radius and t uniform, sum sinh(x_i) + t^2 NN, 16 terms, 100 points, network
# [d+1,128,128,128,1], 10,000 Adam steps, rate linear from 1e-3 to 0.
# Trap: it gives no boundary data, without which the problem has many solutions; they are stated
# here.

problem "Wave equation on the unit ball, hard initial conditions"
dim    d = 50
domain x in ball(d, 1)
time   t in [0, 1]
field  u(x, t)
equation d2(u, t) - lap(u) = 0
exact   u = cosh(t) * sum_i sinh(x_i)
initial u = sum_i sinh(x_i)
initial d(u, t) = 0
ansatz  u = sum_i sinh(x_i) + t^2 * net
boundary u = exact(u)
sample  x ~ radial(uniform)
solve {
  network    mlp(width = 32, depth = 3, activation = tanh)
  method     exact(points = 100)
  optimiser  natural(rate = linear(0.3, 0))
  iterations 200
  seed       0
}
