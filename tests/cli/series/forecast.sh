# A model of a series remembers its lags and its end: forecasts need no table, and after another table they begin there.
orff var series.csv --outputs a,b --lags 1,2 --time day -q -o v.orff
orff info v.orff | sed -n '1,3p'
orff forecast v.orff --steps 3 --std -n 100 -q -o next.csv
head -n 1 next.csv
awk -F, 'NR > 1 { rows++; if ($4 > 0.05 && $4 < 1.5 && $5 > 0.05 && $5 < 1.5) sure++ } END { print rows, sure }' next.csv
orff forecast v.orff series.csv --time day --steps 3 --std -n 100 -q -o same.csv
cmp next.csv same.csv
series 1 150 >shorter.csv
orff forecast v.orff shorter.csv --time day --steps 2 -n 4 --paths -q -o futures.csv
head -n 1 futures.csv
awk -F, 'NR > 1 { members[$1] = 1; rows++ } END { n = 0; for (m in members) n++; print rows, "rows,", n, "members" }' futures.csv
orff forecast v.orff --steps 2 -n 10 --json -o next.csv -q | grep -c '"steps"\|"samples"'
