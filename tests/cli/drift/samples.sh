# Beside the path through the prediction, member 0, stand the mean of the members and their ellipse; NetCDF has a dimension
# for each of member, particle and time.
field rows.csv 1 100
orff fit rows.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 --quiet -o m.orff
printf 'x_km,y_km\n0.2,0.3\n-0.4,0\n' >from.csv
orff drift m.orff --from from.csv --hours 0.2 --every 0.1 -n 30 --seed 2 -o t.csv
head -n 1 t.csv
awk -F, 'NR > 1 { rows++; if ($3 > 0) members[$3] = 1; else if ($1 > 0 && $9 >= $10 && $10 > 0 && $12 == 30) spread++ }
    END { n = 0; for (m in members) n++; print rows, "rows,", n, "members,", spread, "ellipses" }' t.csv
awk -F, 'NR > 1 && $2 == 1 && $1 == 0.2 && $3 > 0 { sum += $4; n++ } NR > 1 && $2 == 1 && $1 == 0.2 && $3 == 0 { mean = $7 }
    END { difference = sum / n - mean; print (difference < 1e-9 && difference > -1e-9) ? "the mean is that of the members" : difference }' t.csv
orff drift m.orff --from from.csv --hours 0.2 --every 0.1 -n 30 --seed 2 -o t.nc --json -q | grep -c '"n"\|"samples"\|"times"\|"far"\|"ended"'
orff info t.nc | grep 'x_km(\|x_km '
grep -c realization t.nc
