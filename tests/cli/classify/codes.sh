# Codes of one's own: far lies beyond high, which lies beyond low, in one number; names in their order are far, high, low.
printf '2\n1\n0\n' > line.csv
printf '1,0\n0,1\n' > two.csv
printf '1\n1\n0\n' > same.csv
orff fit kinds.csv --outputs kind --classify --codes line.csv --features 60 --sigma 0.5 --lambda 1e-4 -q -o k.orff
orff evaluate k.orff kinds.csv --json -q | sed -n 's/.*"error_rate": \([0-9.e-]*\).*/\1/p' | awk '{ print ($1 < 0.2 ? "few are wrong" : "many are wrong") }'
orff info k.orff | grep classes
orff predict k.orff kinds.csv -q -o - | sed -n 1p
orff fit kinds.csv --outputs kind --classify --codes two.csv -q -o no.orff || echo $?
orff fit kinds.csv --outputs kind --classify --codes same.csv -q -o no.orff || echo $?
orff fit kinds.csv --outputs kind --classify --codes line.csv --loss hinge -q -o no.orff || echo $?
orff fit kinds.csv --inputs a --outputs b --codes line.csv -q -o no.orff || echo $?
