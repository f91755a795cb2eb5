# Predictions as an array file, and what --json says of it.
orff predict m.orff test.csv -o p.npy -q
orff info p.npy
orff predict m.orff test.csv -o p.npy --json -q
