# On a grid the first input runs fastest, and ends are exact.
orff predict m.orff --grid x_km=-1:1:5,y_km=0:0.5:3 -o - -q | cut -d , -f 1-2
