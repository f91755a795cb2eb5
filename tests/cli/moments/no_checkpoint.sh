# Moments are no checkpoint: nobody's are used up.
moments a.csv --sigma 0.8 -o a.moments -q
orff fit all.csv --inputs x_km,y_km --outputs u_ms,v_ms --sigma 0.8 --features 50 --checkpoint a.moments --resume -o m.orff || echo $?
orff info a.moments | sed -n 1p
