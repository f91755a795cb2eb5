#!/bin/sh
# Pictures of what is not a plain 2-D field, and maps.
. "$SOURCE_DIR/tests/cli/common.sh"
command -v gnuplot >/dev/null || exit 77

# The points of a picture's script whose first number is not from $2 to $3.
outside() {
    awk -v low="$2" -v high="$3" '/^\$points/ { inside = 1; next } /^EOD/ { inside = 0 }
        inside && NF { found++; if ($1 < low || $1 > high) wrong++ } END { print found + 0 ":" wrong + 0 }' "$1"
}

# A region across the date line is one region, and points are where they belong.
awk 'BEGIN { print "lon,lat,u,v"; for (i = 0; i < 60; i++) { x = 170 + (i * 7) % 20
    printf "%g,%g,%g,%g\n", (x > 180 ? x - 360 : x), -25 + (i * 11) % 13, sin(x / 5), cos(x / 5) } }' >pacific.csv
"$orff" fit pacific.csv --inputs lon,lat --outputs u,v --geo lonlat --sigma 500 --lambda 1e-4 -o pacific.orff -q
"$orff" plot pacific.orff --points pacific.csv --keep -o pacific.svg -q
grep -q '^set xrange \[170:189\]' pacific.svg.gp || fail "region: $(grep xrange pacific.svg.gp)"
[ "$(outside pacific.svg.gp 170 189)" = 60:0 ] || fail "points: $(outside pacific.svg.gp 170 189)"
finish
