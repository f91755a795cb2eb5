# What does not go together is said.
extent='x_km=-1:1,y_km=-1:1'
lattice a.csv --engine lattice --sigma 1 --extent $extent -o a.moments -q
moments b.csv --sigma 0.8 -o features.moments -q
lattice b.csv --engine lattice --sigma 1 --extent x_km=-2:2,y_km=-1:1 -o wide.moments -q
orff merge a.moments wide.moments -o no.moments || echo $?
orff merge a.moments features.moments -o no.moments || echo $?
lattice b.csv --engine lattice --sigma 1 --extent x_km=-1:0.5,y_km=-1:1 -o no.moments || echo $?
lattice b.csv --engine lattice --sigma 1 --extent x_km=-1:1 -o no.moments || echo $?
lattice b.csv --engine lattice --sigma 1 --extent x=-1:1 -o no.moments || echo $?
lattice b.csv --engine lattice --sigma 1 --extent x_km=1:-1,y_km=0:1 -o no.moments || echo $?
lattice b.csv --engine lattice --sigma-range 1:0.5 -o no.moments || echo $?
lattice b.csv --engine lattice --sigma 1 --sigma-range 1:2 -o no.moments || echo $?
lattice b.csv --like a.moments --sigma 2 -o no.moments || echo $?
lattice b.csv --like features.moments -o no.moments || echo $?
lattice b.csv --engine lattice --features 10 --sigma 1 -o no.moments || echo $?
lattice b.csv --engine exact -o no.moments || echo $?
lattice b.csv --sigma 1 --extent $extent -o no.moments || echo $?
orff fit --from-moments a.moments --tolerance 1e-3 -o no.orff || echo $?
orff fit --from-moments a.moments --loss huber -o no.orff || echo $?
[ ! -e no.moments ]
[ ! -e no.orff ]
