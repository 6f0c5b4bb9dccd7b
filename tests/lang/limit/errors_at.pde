#~ E0301 24:10
#~ E0301 25:10
#~ E0301 26:10
#~ E0301 27:10
#~ E0301 28:10
#~ E0301 29:10
#~ E0301 30:10
#~ E0301 31:10
#~ E0301 32:10
#~ E0301 33:10
#~ E0301 34:11
#~ E0301 35:11
#~ E0301 36:11
#~ E0301 37:11
#~ E0301 38:11
#~ E0301 39:11
#~ E0301 40:11
#~ E0301 41:11
#~ E0301 42:11
#~ E0301 43:11
dim d = 100
domain x in ball(d, 1)
field u(x)
let a0 = q
let a1 = q
let a2 = q
let a3 = q
let a4 = q
let a5 = q
let a6 = q
let a7 = q
let a8 = q
let a9 = q
let a10 = q
let a11 = q
let a12 = q
let a13 = q
let a14 = q
let a15 = q
let a16 = q
let a17 = q
let a18 = q
let a19 = q
equation lap(u) = 1
