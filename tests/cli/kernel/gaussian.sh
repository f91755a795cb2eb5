# exp(-1/2) at a distance of one length scale.
orff kernel --sigma 1 --x 0 --z 1 --json
