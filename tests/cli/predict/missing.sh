# A missing value is an error, or a row that is left out.
printf 'x_km,y_km\n0,1\n0,NA\n1,1\n' >missing.csv
orff predict m.orff missing.csv -o p.csv || echo $?
[ ! -e p.csv ]
orff predict m.orff missing.csv --skip-missing -o p.csv
