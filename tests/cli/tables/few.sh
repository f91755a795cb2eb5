# Two rows and three rows are enough for a fit.
for n in 2 3; do
    sed -n "1,$((n + 1))p" plain.csv >few.csv
    orff fit few.csv --inputs x_km,y_km --outputs u_ms,v_ms -q -o m.orff && orff evaluate m.orff few.csv --json -q | grep '"n"'
    orff fit few.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free -q -o m.orff
    orff fit few.csv --inputs x_km,y_km --outputs u_ms,v_ms --engine features -q -o m.orff
done
