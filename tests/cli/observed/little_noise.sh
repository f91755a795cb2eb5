# A lattice of many waves has a hard time with directions and little noise; the fit says so, and what helps, and auto avoids it.
awk 'BEGIN { print "x,y,r,a"; for (i = 1; i <= 12; i++) print (i * 0.618) % 1 "," (i * 0.755) % 1 "," sin(i) "," i * 37 }' >few.csv
learn() { orff fit few.csv --inputs x,y --outputs r --direction a --kernel div-free --sigma 0.025 --lambda 0.1 --posterior no -o m.orff "$@" 2>&1 |
    grep -E 'converge|solver'; }
learn --engine lattice
learn
awk 'BEGIN { print "x,y,r,a"; for (i = 1; i <= 7000; i++) print (i * 0.618) % 1 "," (i * 0.755) % 1 "," sin(i) "," i * 37 }' >few.csv
learn --engine lattice --lambda 1e-7 --iterations 1 | grep -o '^warning: 7000.*\|What helps.*'
