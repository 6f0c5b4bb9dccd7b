# ordinary differential equations: a time and no space
param  T = 4
time   t in [0, T]
field  q(t), s(t)
equation d2(q, t) = -sin(q)
equation d(s, t) = q
initial  q = 1 exactly
initial  d(q, t) = 0
terminal s = 1 weight 2
report   q at t = T
