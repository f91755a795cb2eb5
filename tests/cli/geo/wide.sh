# A region too large for a plane is fitted with a warning.
awk 'BEGIN { print "lon,lat,u,v"; for (i = -50; i <= 50; i += 5) for (j = -40; j <= 40; j += 10) print i "," j "," i / 50 "," j / 50 }' >wide.csv
orff fit wide.csv --inputs lon,lat --outputs u,v --geo lonlat --features 30 --sigma 1000 -o w.orff 2>&1 | grep -e warning -e written
