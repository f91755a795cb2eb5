# Degrees without --geo: a hint, nothing more; with it, or for other outputs, none.
awk 'BEGIN { print "lon,lat,u,v"; for (i = 0; i < 30; i++) print 10 + sin(i) "," 50 + cos(3 * i) "," sin(i) "," cos(i) }' >degrees.csv
orff fit degrees.csv --inputs lon,lat --outputs u,v --sigma 1 --features 20 -o x.orff 2>&1 | grep geo
orff fit degrees.csv --inputs lon,lat --outputs u,v --sigma 1 --features 20 --geo lonlat -o x.orff 2>&1 | grep -c 'are degrees' || true
orff fit degrees.csv --inputs lon,lat --outputs u --sigma 1 --features 20 -o x.orff 2>&1 | grep -c 'are degrees' || true
# All around the Earth there is no plane: what to do then.
awk 'BEGIN { print "lon,lat,u,v"; for (i = 0; i < 36; i++) print 10 * i ",0,1,2" }' >globe.csv
orff fit globe.csv --inputs lon,lat --outputs u,v --sigma 1000 --features 20 --geo lonlat -o x.orff || echo $?
