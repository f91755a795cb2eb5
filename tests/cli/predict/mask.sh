# Points far from all rows, or of which these say nothing, are missing, counted, and said; also after a pass over a stream.
orff fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 -q -o k.orff
orff predict k.orff --grid x_km=0:3:4,y_km=0 --mask distance=0.5 --std -o - | cut -d , -f 1-3,5
orff predict k.orff --grid x_km=0:3:4,y_km=0 --mask std=0.9 -o - --quiet | grep -c nan
orff fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 --features 50 --memory 0 -q -o s.orff
orff predict s.orff --grid x_km=0:3:4,y_km=0 --mask distance=0.5 -o - -q | grep -c nan
orff moments train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 --features 50 -q -o m.moments
orff fit --from-moments m.moments -q -o f.orff
orff predict f.orff --grid x_km=0,y_km=0 --mask distance=0.5 -o - || echo $?
orff predict k.orff --grid x_km=0,y_km=0 --mask distance=0 -o - || echo $?
