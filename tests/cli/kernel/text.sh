# What is shown on a terminal: the exact kernel, the one by features, and how far they are apart.
orff kernel --kernel helmholtz --mix 0.2 --sigma 1 --x 0,0 --z 1,0 --features 100
