dim	d = 10
domain	x in ball(d, 1)

field u(x)
equation lap(u)
	+ u = 1   # continued
boundary u = 0
