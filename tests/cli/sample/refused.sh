# Without a posterior there is nothing to draw from.
orff fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 --posterior no --quiet -o n.orff
orff sample n.orff --grid x_km=0,y_km=0 -n 3 -o - || echo $?
orff sample m.orff --grid x_km=0,y_km=0 -n 0 -o - || echo $?
