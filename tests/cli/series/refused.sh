# What is missing or makes no sense is said.
orff var series.csv --lags 1 -o v.orff || echo $?
orff var series.csv --outputs a,b --lags 0-2 -o v.orff || echo $?
orff var series.csv --outputs a,b --lags 2,1 -o v.orff || echo $?
orff var series.csv --outputs a,b --lags 300 --time day -q -o v.orff || echo $?
orff fit series.csv --inputs day --outputs a --sigma 9 --lambda 1e-3 -q -o f.orff
orff forecast f.orff --steps 2 -o next.csv || echo $?
orff var series.csv --outputs a,b --lags 3 --sigma 1 --lambda 1e-3 -q -o v.orff
orff forecast v.orff -o next.csv || echo $?
orff forecast v.orff --steps 2 --std --paths -o next.csv || echo $?
head -n 3 series.csv >short.csv
orff forecast v.orff short.csv --steps 2 -q -o next.csv || echo $?
