# Too few and too many operands, and options that must be there.
field train.csv 1 60
orff predict || echo $?
orff evaluate a b c d || echo $?
orff fit data.csv || echo $?
orff fit -o m || echo $?
orff fit train.csv -o m.orff || echo $?
