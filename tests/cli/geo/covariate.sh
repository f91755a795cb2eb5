# Time as a covariate, on which this flow does not depend.
orff fit spin.csv --inputs lon,lat,hour --outputs east,north --geo lonlat --covariates hour --kernel div-free --features 150 -q -o t.orff
orff evaluate t.orff spin.csv --json -q | grep '^  "rmse"'
orff info t.orff --json | grep -A 2 '"covariates": '
