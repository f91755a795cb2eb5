# Without a range of length scales it is about the one that the rows make most probable, and a stream needs no rows in memory
# when all is given.
lattice all.csv --engine lattice --kernel div-free -o found.moments 2>&1 | grep -o 'sigma .* to'
lattice all.csv --engine lattice --sigma 1 --extent x_km=-1:1,y_km=-1:1 --memory 0 -o stream.moments -q
lattice all.csv --engine lattice --sigma 1 --extent x_km=-1:1,y_km=-1:1 -o all.moments -q
predictions all.moments >all.out
predictions stream.moments >stream.out
same all.out stream.out
