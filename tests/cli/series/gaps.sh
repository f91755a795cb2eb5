# Times that are missing are gaps, and so are empty cells; without --time nothing may be missing.
sed -e '50,52d' -e '90s/,[^,]*$/,/' series.csv >holes.csv
orff var holes.csv --outputs a,b --lags 1 --time day --sigma 1 --lambda 1e-4 --json -q -o v.orff | grep '"gaps"\|"n"'
orff var holes.csv --outputs a,b --lags 1 --sigma 1 --lambda 1e-4 -q -o v.orff || echo $?
orff var holes.csv --outputs b --lags 1 --time a --sigma 1 --lambda 1e-4 -q -o v.orff || echo $?
