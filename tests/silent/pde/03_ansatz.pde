dim d = 1
domain x in box(d,-1,1)
time t in [0,1]
field u(x,t)
exact u = exp(-t)*sin(pi*x_1)
equation d(u,t) = lap(u) + f
source f from exact
ansatz u = exact(u) + t*net
boundary u = 0
