# Two longitudes of one place give the same; 209 km east of the axis the flow is to the north.
fit --geo lonlat --kernel div-free -q
orff predict g.orff --grid lon=-178,lat=-20 --bare -o one.csv -q
orff predict g.orff --grid lon=182,lat=-20 --bare -o two.csv -q
tail -n 1 one.csv
paste -d , one.csv two.csv | awk -F , 'NR == 2 { print "differ by", $1 - $3, "and", $2 - $4 }'
