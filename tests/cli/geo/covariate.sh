# Time as a covariate, on which this flow does not depend.
orff fit spin.csv --inputs lon,lat,hour --outputs east,north --geo lonlat --covariates hour --kernel div-free --features 150 -q -o t.orff
orff evaluate t.orff spin.csv --json -q | grep '^  "rmse"'
orff info t.orff --json | grep -A 2 '"covariates": '
# So with dates.
awk -F, -v OFS=, 'NR == 1 { $3 = "time_utc" } NR > 1 { $3 = sprintf("2024-05-01 %02d:%02d:00", int($3), ($3 - int($3)) * 60) } { print }' spin.csv >dates.csv
orff fit dates.csv --inputs lon,lat,time_utc --outputs east,north --geo lonlat --covariates time_utc --kernel div-free --features 150 -o t.orff 2>&1 | grep dates
orff evaluate t.orff dates.csv --json -q | grep '^  "rmse"'
