# A model without a posterior has no error bars.
orff fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --sigma 0.8 --features 60 --posterior no --quiet -o bare.orff
orff predict bare.orff test.csv --std -o p.csv || echo $?
[ ! -e p.csv ]
