# Features come near the exact kernel; those of the grid, a quadrature, nearer.
orff kernel --kernel div-free --sigma 0.5 --x 0,0 --z 0.1,0.2 --features 2000 --json | grep error_spectral
orff kernel --kernel div-free --sigma 0.5 --x 0,0 --z 0.1,0.2 --features 2000 --sampling grid --json | grep error_spectral
