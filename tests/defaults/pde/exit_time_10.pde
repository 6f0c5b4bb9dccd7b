# How long a particle that a spring pulls back stays in a ball; the number is a one-dimensional integral.
problem  "mean exit time"
dim      d = 10
domain   x in ball(d, 1)
field    u(x)
equation lap(u) - 2 * sum_i x_i * d(u, x_i) = -1
boundary u = 0 exactly
reference u = integral(r = 0..1: exp(r^2) * r / d * (1 - d / (d + 2) * r^2 + d / (d + 4) * r^4 / 2 - d / (d + 6) * r^6 / 6 + d / (d + 8) * r^8 / 24 - d / (d + 10) * r^10 / 120 + d / (d + 12) * r^12 / 720 - d / (d + 14) * r^14 / 5040 + d / (d + 16) * r^16 / 40320 - d / (d + 18) * r^18 / 362880 + d / (d + 20) * r^20 / 3628800 - d / (d + 22) * r^22 / 39916800 + d / (d + 24) * r^24 / 479001600)) at x_i = 0
