# A file as models write them: u and v over time, lat and lon.
# shellcheck shell=sh
awk 'BEGIN { print "lon,lat,time,u [m/s],v [m/s]"; for (i = 0; i < 60; i++) printf "%d,%d,2024-05-01T%02d:00:00Z,%.6f,%.6f\n", 10 + i % 6, 50 + int(i / 6) % 5, i % 24, sin(i), cos(i) }' >t.csv
orff fit t.csv --inputs lon,lat,time --outputs u,v --sigma 3 --features 40 --lambda 1e-3 -q -o m.orff
orff predict m.orff --grid lon=10:15@1,lat=50:54@1,time=0:5@1 -q -o f.nc
fit() { orff fit f.nc --sigma 3 --features 40 --lambda 1e-3 -q -o x.orff "$@"; }
