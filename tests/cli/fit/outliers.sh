# Rows far from all their neighbours are named, and left out where that is asked for: the field is found then.
field all.csv 1 400
awk -F, -v OFS=, 'NR % 50 == 9 { $3 += 40 } NR % 50 == 30 { $4 -= 40 } 1' all.csv >spoiled.csv
field new.csv 401 500
for drop in no yes; do
    orff fit spoiled.csv --inputs x_km,y_km --outputs u_ms,v_ms --drop-outliers $drop --json -q -o m.orff |
        grep -E '"n"|"outliers"'
    orff evaluate m.orff new.csv --json -q | sed -n '/"rmse"/{p;q}'
done
orff tune spoiled.csv --inputs x_km,y_km --outputs u_ms,v_ms --sigma 0.5 --sigma 0.7 --drop-outliers yes -q -o m.orff
orff evaluate m.orff new.csv --json -q | sed -n '/"rmse"/{p;q}'
orff fit spoiled.csv --inputs x_km,y_km --outputs u_ms,v_ms --drop-outliers yes --memory 1K -q -o m.orff || echo $?
orff moments spoiled.csv --inputs x_km,y_km --outputs u_ms,v_ms --sigma 0.7 -q -o m.moments
orff fit --from-moments m.moments --drop-outliers yes -q -o m.orff || echo $?
