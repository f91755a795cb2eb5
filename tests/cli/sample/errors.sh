# Where a derived field has no closed form its error bars come from samples, and that is said.
orff fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.02 --lambda 1e-3 --posterior yes --engine lattice --quiet -o e.orff
orff predict e.orff --grid x_km=0,y_km=0 --derive curl --std --samples 50 -o p.csv
head -n 1 p.csv
orff predict e.orff --grid x_km=0,y_km=0 --samples 50 -o p.csv
