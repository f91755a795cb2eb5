# One input is no place, and metres are no degrees.
printf 'lon,lat,u,v\n500000,4000000,1,1\n1,2,3,4\n' >metres.csv
orff fit spin.csv --inputs lon --outputs east,north --geo lonlat -o x.orff || echo $?
orff fit metres.csv --inputs lon,lat --outputs u,v --geo lonlat --features 30 --sigma 1000 -o x.orff || echo $?
[ ! -e x.orff ]
