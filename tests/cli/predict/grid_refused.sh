# Grids that are incomplete, of other inputs, backwards, or beside data.
orff predict m.orff --grid x_km=0:1:3 -o g.csv || echo $?
orff predict m.orff --grid x=0:1:3,y_km=0 -o g.csv || echo $?
orff predict m.orff --grid x_km=1:0:3,y_km=0 -o g.csv || echo $?
orff predict m.orff test.csv --grid x_km=1,y_km=0 -o g.csv || echo $?
orff predict m.orff -o g.csv || echo $?
[ ! -e g.csv ]
