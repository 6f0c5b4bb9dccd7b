# Wave equation on the unit ball.
# Shows: second order in time, an initial condition that is an operator (d(u, t) = 0), all
# conditions as losses.
# Run:  pdec examples/wave.pde -o x.so && pderun x.so
# The published form is wave_ansatz.pde. Initial data fix u only where no signal from the boundary
# has arrived; the boundary data fix the rest.

problem "Wave equation on the unit ball"
dim    d = 50
domain x in ball(d, 1)
time   t in [0, 1]
field  u(x, t)
equation d2(u, t) = sum_i d2(u, x_i)
exact   u = cosh(t) * sum_i sinh(x_i)
initial u = exact(u)
initial d(u, t) = 0
boundary u = exact(u)
