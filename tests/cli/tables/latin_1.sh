# A header in Latin-1 keeps its names, and the model finds them again.
{ printf 'l\344nge,y,u,v\n' && sed 1d plain.csv; } >latin.csv
fit latin.csv --inputs länge,y --outputs u,v -q
orff info m.orff | grep inputs
orff predict m.orff latin.csv -q -o - | sed -n 1p
