# Classes by least squares; their names are in the model.
orff fit kinds.csv --outputs kind --classify --features 60 -q -o k.orff
orff evaluate k.orff kinds.csv --json -q | grep '"error_rate"'
orff info k.orff | grep classes
