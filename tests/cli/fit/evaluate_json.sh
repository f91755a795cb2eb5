# Errors of all outputs and of each.
fit --kernel div-free --sigma 0.7 --quiet
orff evaluate m.orff test.csv --json --quiet
