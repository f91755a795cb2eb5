# Without units hours mean nothing; the time of the inputs over the outputs always does.
rotation a,b,c,d >plain.csv
learn plain.csv a,b c,d p.orff
printf 'a,b\n1,0\n' >from.csv
orff drift p.orff --from from.csv --hours 3 -o t.csv || echo $?
orff drift p.orff --from from.csv --time 3.141592653589793 --every 3.141592653589793 -o - -q
