# --bare leaves the inputs out.
orff predict m.orff test.csv --bare -o - -q | head -n 1
