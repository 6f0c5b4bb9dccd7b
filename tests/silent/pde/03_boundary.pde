dim d = 2
domain x in box(d,-1,1)
time t in [0,1]
field u(x,t)
exact u = exp(-t)*cos(x_1)
equation d(u,t) = lap(u) + f
source f from exact
initial u = exact(u) exactly
boundary u = exact(u) exactly
