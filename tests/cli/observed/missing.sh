# Rows without some of their outputs: what they have is used, they are dropped, or refused.
awk -F, -v OFS=, 'NR > 1 && NR % 3 == 0 { $3 = "" } NR > 1 && NR % 3 == 1 { $4 = "NA" } NR == 8 { $3 = $4 = "" } 1' plain.csv >holes.csv
fit holes.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --json | grep -E '^  "(n|dropped|engine)"'
rmse
orff fit holes.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.7 --lambda 1e-4 --engine lattice -o m.orff 2>&1 | grep "missing outputs"
rmse
fit holes.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --features 300
rmse
fit holes.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --missing-outputs drop --json | grep -E '^  "(n|dropped)"'
rmse
fit holes.csv --inputs x_km,y_km --outputs u_ms,v_ms --missing-outputs refuse || echo $?
fit holes.csv --inputs x_km,y_km --outputs u_ms,v_ms --missing-outputs some || echo $?
fit holes.csv --inputs x_km,y_km --outputs u_ms,v_ms --memory 0 || echo $?
