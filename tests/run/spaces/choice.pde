problem  "A load that changes its sign in the middle"
domain   x in [0, 1]
field    u(x)
let      left = (x^2 - x / 2) / 2, right = (1 - x)^2 - (1 - x) / 2
equation d2(u, x) = if x < 1/2 then 1 else -1
boundary u = 0 exactly
reference u = if x < 1/2 then left else -right / 2
