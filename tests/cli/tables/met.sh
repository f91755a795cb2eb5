# Tecplot has the same rows too; time is one more input of the default kernel, and a kernel of
# fields says what to do with it.
learn() { orff fit "$@" --sigma 0.8 --lambda 1e-4 -q -o m.orff; }
{ printf 'TITLE="a"\nVARIABLES="x_km" "y_km" "u_ms" "v_ms"\nZONE I=60, J=1\n' && sed 1d plain.csv | tr ',' ' '; } >flow.vec
for file in plain.csv flow.vec; do
    learn "$file" --inputs x_km,y_km --outputs u_ms,v_ms
    rmse plain.csv
done
awk -F, -v OFS=, 'NR == 1 { print "x,y,time,u,v" } NR > 1 { print $1, $2, NR % 7, $3, $4 }' plain.csv >moving.csv
learn moving.csv --inputs x,y,time --outputs u,v
learn moving.csv --inputs x,y,time --outputs u,v --kernel div-free || echo $?
learn moving.csv --inputs x,y,time --outputs u,v --kernel div-free --covariates time
