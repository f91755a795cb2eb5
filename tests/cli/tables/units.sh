# Units in the header are kept apart from the name; the whole text is a name too, with the quotes of --inputs also in --grid.
{ echo 'x (km),y (km),u [m/s],v [m/s]' && sed 1d plain.csv; } >units.csv
fit units.csv --inputs '"x (km)",y' --outputs u,v -q
orff info m.orff | grep puts
orff predict m.orff units.csv -q -o - | sed -n 1p
orff predict m.orff --grid '"x (km)"=0:1:2,"y"=0' -q -o - | cut -d, -f1,2
orff predict m.orff --grid 'x [km]=0:1@0.25,y=0:0.9@0.5' -q -o - | cut -d, -f1,2
orff predict m.orff --grid 'x=0:1@0,y=0' -q -o - || echo $?
orff predict m.orff --grid '"x=0:1:3,y=0' -q -o - || echo $?
