# --bare leaves the inputs out.
orff predict m.orff test.csv --bare -o - -q | sed -n 1p
