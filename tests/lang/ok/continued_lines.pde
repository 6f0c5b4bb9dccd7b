dim d = 10
domain x in box(d,
  -1,
  1)
field u(x)
let a =
  1 +
  2
let b = (1
  # a comment inside
  + 2)
equation lap(u) - a
  * u
  + b = 1
