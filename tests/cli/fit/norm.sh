# The norm of an exact model, in its report and from its file; features have none.
field train.csv 1 60
orff exact train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.7 --lambda 0.01 -o exact.orff --json -q | grep norm2 >fit
orff info exact.orff --json | grep norm2 >info
cmp fit info && grep -c norm2 fit
orff fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.7 --lambda 0.01 --features 20 -o features.orff --json -q | grep -c norm2 || true
