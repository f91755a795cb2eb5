# Classes are counted also when rows do not stay in memory.
orff fit kinds.csv --outputs kind --classify --features 20 --sigma 0.5 --memory 0 -o k.orff --json -q | grep '"classes"'
