#!/bin/sh
# --geo lonlat and --covariates: solid rotation of the Earth's surface, whose divergence is zero and whose shape is known.
. "$SOURCE_DIR/tests/cli/common.sh"

# Rotation about a point of the Pacific, across the date line: speed r per 1000 km, bearing at right angles to the way out.
awk 'BEGIN { seed = 5; pi = atan2(0, -1); print "lon,lat,hour,east,north"
    for (i = 0; i < 300; i++) { lon = 175 + 10 * draw(); lat = -25 + 10 * draw(); t = 6 * draw()
        l = (lon - 180) * pi / 180; f = lat * pi / 180; g = -20 * pi / 180
        # direction and angle from (180, -20), at the point
        a = cos(g) * sin(l); b = cos(g) * sin(f) * cos(l) - sin(g) * cos(f); s = sqrt(a * a + b * b)
        c = atan2(s, sin(g) * sin(f) + cos(g) * cos(f) * cos(l)) * 6.371
        printf "%.8f,%.8f,%.4f,%.8f,%.8f\n", (lon > 180 ? lon - 360 : lon), lat, t, -c * b / s, c * a / s } }
    function draw() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }' >spin.csv
fit() { "$orff" fit spin.csv --inputs lon,lat --outputs east,north --features 80 -o g.orff "$@"; }
expect 0 'plane: azimuthal equidistant at -?1(79|80)\.[0-9]+ E -(19|20)\.[0-9]+ N' fit --geo lonlat --kernel div-free
"$orff" evaluate g.orff spin.csv --json -q >e.json
less "$(number e.json rmse)" 0.01 "rotation on the plane"
expect 0 'plane +azimuthal' "$orff" info g.orff
# Vorticity of a solid rotation is twice its rate: 2 per 1000 km. The other longitudes of the same place give the same.
"$orff" predict g.orff --grid lon=178:182:3,lat=-21:-19:3 --derive divergence,curl,jacobian --std -o c.csv -q
awk -F, 'NR > 1 { if ($8 < 0.0019 || $8 > 0.0021) bad++; if ($7 > 1e-9 || $7 < -1e-9) bad++ } END { exit bad > 0 }' c.csv ||
    fail "vorticity: $(cat c.csv)"
"$orff" predict g.orff --grid lon=-178,lat=-20 -o - -q | tail -n 1 | cut -d, -f3- | cut -c1-12 >one
"$orff" predict g.orff --grid lon=182,lat=-20 -o - -q | tail -n 1 | cut -d, -f3- | cut -c1-12 >two
cmp -s one two || fail "longitudes -178 and 182 differ: $(cat one two)"
expect 0 '"geo"' "$orff" info g.orff --json
expect 0 'E .* N' fit --geo lonlat --memory 0 --sigma 500

# A covariate.
expect 0 'written' "$orff" fit spin.csv --inputs lon,lat,hour --outputs east,north --geo lonlat --covariates hour \
    --kernel div-free --features 150 -o t.orff
"$orff" evaluate t.orff spin.csv --json -q >e.json
less "$(number e.json rmse)" 0.05 "with a covariate"
expect 0 '"covariates": ' "$orff" info t.orff --json
expect 2 'two inputs .*; there are 1 and 2' "$orff" fit spin.csv --inputs lon --outputs east,north --geo lonlat -o x.orff

# Too large for a plane; not degrees.
awk 'BEGIN { print "lon,lat,u,v"; for (i = -50; i <= 50; i += 5) for (j = -40; j <= 40; j += 10) print i "," j "," i / 50 "," j / 50 }' >wide.csv
expect 0 'warning: the region is large for a plane' "$orff" fit wide.csv --inputs lon,lat --outputs u,v --geo lonlat --features 30 --sigma 1000 -o w.orff
printf 'lon,lat,u,v\n500000,4000000,1,1\n1,2,3,4\n' >metres.csv
expect 1 'row 1 is at longitude 500000' "$orff" fit metres.csv --inputs lon,lat --outputs u,v --geo lonlat --features 30 --sigma 1000 -o w.orff
finish
