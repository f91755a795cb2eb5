# Beyond the last rows, a coast says that nothing flows across it. The field has no flow across x = pi/4.
awk -F, 'NR == 1 || (NR < 180 && $1 < 0.45)' plain.csv >west.csv
printf '0.785 -1\n0.785 1\n' >wall.txt
printf 'x_km,y_km\n0.785,-0.6\n0.785,-0.2\n0.785,0.2\n0.785,0.6\n' >at.csv
learn() { orff fit west.csv --inputs x_km,y_km --outputs u_ms,v_ms -o m.orff "$@"; }
across() { orff predict m.orff at.csv -q -o - | awk -F, 'NR > 1 { s += $3 * $3 } END { print (s < 0.01 ? "held" : "crosses") }'; }
learn -q
across
learn --coast wall.txt 2>&1 | grep coast
across
printf '{"type": "LineString", "coordinates": [[0.785, -1], [0.785, 1]]}\n' >wall.geojson
learn --kernel div-free --engine lattice --coast wall.geojson -q
across
printf '9 -1\n9 1\n' >away.txt
learn --coast away.txt 2>&1 | grep coast
fit west.csv --inputs x_km --outputs u_ms,v_ms --coast wall.txt || echo $?
