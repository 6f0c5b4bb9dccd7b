#~ E0113 8:10
#~ E0113 8:18
dim d = 100
param T = 1
domain x in ball(d, 1)
time t in [0, T]
field u(x, t)
equation ∂u/∂t = Δu
