# Fields that do not exist, tables without the inputs or with words in them; no file is left.
printf 'a,b\n1,2\n' >other.csv
printf 'x_km,y_km\n0,zero\n' >word.csv
orff predict m.orff test.csv --derive gradient -o p.csv || echo $?
orff predict m.orff other.csv -o p.csv || echo $?
orff predict m.orff word.csv -o p.csv || echo $?
orff predict m.orff test.csv -o nowhere/p.csv || echo $?
[ ! -e p.csv ]
