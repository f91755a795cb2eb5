# What is missing or makes no sense is said.
orff drift r.orff --hours 3 -o t.csv || echo $?
orff drift r.orff --from points.csv -o t.csv || echo $?
orff drift r.orff --from points.csv --hours 3 --time 3 -o t.csv || echo $?
orff drift r.orff --from points.csv --hours 0 -o t.csv || echo $?
orff drift r.orff --from points.csv --hours 3 --start 2 -o t.csv || echo $?
orff drift r.orff --from points.csv --hours 3 --mask depth=4 -o t.csv || echo $?
orff drift r.orff --from points.csv --hours 3 -o points.csv || echo $?
