#~ E0518 1:1
field u()
equation u = 1
