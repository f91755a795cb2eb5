# 1 m/s at 1 km from the middle: once around takes 2 pi / 3.6 hours, and orbits close, forwards and backwards.
orff drift r.orff --from points.csv --hours 1.7453292519943295 --every 0.43633231299858238 -o tracks.csv
sed -n '1p;3p;6p;11p' tracks.csv
orff drift r.orff --from points.csv --hours -0.43633231299858238 --every 1 -o - -q | sed -n 3p
