# Components along the axes of a grid are not eastward and northward: a warning, but for a grid of degrees.
awk 'BEGIN { print "lon,lat,x_wind,y_wind"; for (i = 0; i < 20; i++) printf "%g,%g,%g,%g\n", 10 + i % 5, 50 + i / 5, i, -i }' >w.csv
orff fit w.csv --inputs lon,lat --outputs x_wind,y_wind --sigma 100 --lambda 1e-3 --geo lonlat -o x.orff 2>&1 | grep warning
sed 's/x_wind,y_wind/u,v/' w.csv >uv.csv
orff fit uv.csv --inputs lon,lat --outputs u,v --sigma 100 --lambda 1e-3 --geo lonlat -o x.orff 2>&1 | grep warning || echo none
