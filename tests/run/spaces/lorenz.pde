# The Lorenz system over a short time.
problem  "Lorenz"
time     t in [0, 1/5]
field    x(t), y(t), z(t)
equation d(x, t) = 10 * (y - x)
equation d(y, t) = x * (28 - z) - y
equation d(z, t) = x * y - 8/3 * z
initial  x = 1
initial  y = 1
initial  z = 1
