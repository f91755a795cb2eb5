# An input that is time goes on; --start says when, or the table does for each particle.
awk 'BEGIN { print "x,y,t,u,v"
    for (i = -2; i <= 2; i++) for (j = -2; j <= 2; j++) for (k = 0; k <= 8; k++) printf "%g,%g,%g,%g,0\n", i, j, k / 2, cos(k / 2) }' >rows.csv
orff fit rows.csv --inputs x,y,t --outputs u,v --sigma 4,4,2 --base gaussian --lambda 1e-10 --engine exact -q -o c.orff
printf 'x,y\n0,0\n' >place.csv
printf 'x,y,t\n0,0,1\n' >place_and_time.csv
orff drift c.orff --from place.csv --start 1 --time 2 --every 2 -o - -q
orff drift c.orff --from place_and_time.csv --time 2 --every 2 -o - -q | sed -n 3p
