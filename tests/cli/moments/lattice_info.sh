# What is in a file of moments of a lattice.
lattice all.csv --engine lattice --sigma-range 0.7:1.5 --extent 1=-1:1,2=-2:2 -o all.moments -q
orff info all.moments
orff info all.moments --json | grep -e kind -e '"n"' -e engine -e waves | sort
