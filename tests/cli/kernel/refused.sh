# What is missing, and what does not fit together.
orff kernel --x 0 --z 0 || echo $?
orff kernel --sigma 1 || echo $?
orff kernel --sigma 1 --x 0,1 --z 0 || echo $?
orff kernel --sigma 1 --x a --z 0 || echo $?
orff kernel --kernel auto --x 0 --z 0 || echo $?
orff kernel --sigma 1 --output-matrix "1,0;0,1" --x 0 --z 0 || echo $?
