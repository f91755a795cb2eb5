# NetCDF has the members as a dimension, with the standard name of a realization.
orff sample m.orff --grid x_km=-0.5:0.5:3,y_km=0:0.5:2 -n 4 -o e.nc -q
orff info e.nc | grep 'u_ms'
grep -c realization e.nc
orff sample m.orff --grid x_km=0:9:2,y_km=0 -n 4 --mask distance=1 -o - | grep -c nan
