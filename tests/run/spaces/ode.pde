# no space: one number with an interval, its data at one end
problem  "A pendulum"
domain   s in [0, 4]
field    angle(s), speed(s)
equation d(angle, s) = speed
equation d(speed, s) = -angle
boundary angle = 1 on s = 0 exactly
boundary speed = 0 on s = 0
reference angle = cos(s)
reference speed = -sin(s)
