# The plane is put where the data are, across the date line, and the rotation is learned there.
fit --geo lonlat --kernel div-free 2>&1 | grep plane
orff evaluate g.orff spin.csv --json -q | grep '^  "rmse"'
orff info g.orff | grep plane
orff info g.orff --json | grep -o '"geo"'
