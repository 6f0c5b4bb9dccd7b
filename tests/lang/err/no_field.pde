#~ E0505 1:1
dim d = 100
domain x in ball(d, 1)
let a = norm(x)
