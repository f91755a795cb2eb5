# Solid rotation of the Earth's surface about a point of the Pacific, across the date line: speed r per 1000 km, at right
# angles to the way out. Its divergence is zero and its vorticity twice the rate.
# shellcheck shell=sh
awk 'BEGIN { seed = 5; pi = atan2(0, -1); print "lon,lat,hour,east,north"
    for (i = 0; i < 300; i++) { lon = 175 + 10 * draw(); lat = -25 + 10 * draw(); t = 6 * draw()
        l = (lon - 180) * pi / 180; f = lat * pi / 180; g = -20 * pi / 180
        # direction and angle from (180, -20), at the point
        a = cos(g) * sin(l); b = cos(g) * sin(f) * cos(l) - sin(g) * cos(f); s = sqrt(a * a + b * b)
        c = atan2(s, sin(g) * sin(f) + cos(g) * cos(f) * cos(l)) * 6.371
        printf "%.8f,%.8f,%.4f,%.8f,%.8f\n", (lon > 180 ? lon - 360 : lon), lat, t, -c * b / s, c * a / s } }
    function draw() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }' >spin.csv
fit() { orff fit spin.csv --inputs lon,lat --outputs east,north --features 80 -o g.orff "$@"; }
