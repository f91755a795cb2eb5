# A particle that leaves the data goes on, with its distance told, and ends with a mask.
awk 'BEGIN { print "x_km,y_km,u_ms,v_ms"; for (i = 0; i <= 10; i++) for (j = 0; j <= 10; j++) printf "%g,%g,1,0\n", i / 5, j / 5 }' >east.csv
orff fit east.csv --inputs x_km,y_km --outputs u_ms,v_ms --sigma 0.5 --lambda 1e-8 --engine exact -q -o e.orff
printf 'x_km,y_km\n1,1\n' >from.csv
orff drift e.orff --from from.csv --hours 1 --every 0.5 -o - | cut -d , -f 1,4,6
orff drift e.orff --from from.csv --hours 1 --every 0.5 --mask distance=0.3 -o - | cut -d , -f 1,4,6
