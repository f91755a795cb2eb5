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

# Land has neither colours nor arrows, and its coast is drawn. An island of 4 x 4 degrees, as GeoJSON and as lines.
cat >island.geojson <<'END'
{"type": "FeatureCollection", "features": [{"type": "Feature", "geometry":
  {"type": "Polygon", "coordinates": [[[178, -20], [-178, -20], [-178, -16], [178, -16], [178, -20]]]}}]}
END
printf '> island\n178 -20\n-178 -20\n-178 -16\n178 -16\n178 -20\n' >island.txt
for file in island.geojson island.txt; do
    rm -f *.gp
    "$orff" plot pacific.orff --coast $file --everywhere --keep -o island.svg -q
    awk '/^\$colours/ { inside = 1; next } /^EOD/ { inside = 0 }
        inside && NF { land = $1 > 178 && $1 < 182 && $2 > -20 && $2 < -16; if (land != ($3 == "NaN")) wrong++; all += land }
        END { exit !(all > 100 && !wrong) }' island.svg.gp || fail "$file: colours"
    awk '/^\$arrows/ { inside = 1; next } /^EOD/ { inside = 0 }
        inside && NF { x = $1 + $3 / 2; y = $2 + $4 / 2; if (x > 178 && x < 182 && y > -20 && y < -16) wrong++; else all++ }
        END { exit !(all > 100 && !wrong) }' island.svg.gp || fail "$file: arrows"
    grep -q 'coast using' island.svg.gp || fail "$file: no coast"
    "$orff" predict pacific.orff --grid lon=177.5:182.5@1,lat=-18 --coast $file --json -q -o land.csv >json
    [ "$(grep -c nan land.csv)" -eq 4 ] || fail "$file: $(cat land.csv)"
    [ "$(number json on_land)" -eq 4 ] || fail "$file: $(cat json)"
done
printf '178 -20\n182 -20\n' >line.txt
expect 1 'line.txt: none of its lines is closed.*polygons' "$orff" predict pacific.orff pacific.csv --coast line.txt -o p.csv
expect 1 'nowhere.txt' "$orff" predict pacific.orff pacific.csv --coast nowhere.txt -o p.csv
expect 0 'points are on land' "$orff" predict pacific.orff pacific.csv --coast natural-earth -o p.csv

# A panel for each output, a slice at a value, a curve over one input; what cannot be drawn says what can.
awk 'BEGIN { print "x,y,t,a,b,c"; for (i = 0; i < 80; i++) { x = (i * 7) % 10; y = (i * 3) % 11; t = i % 5
    printf "%g,%g,%g,%g,%g,%g\n", x, y, t, 10 + sin(x), cos(y), t * x } }' >table.csv
fit() { "$orff" fit table.csv --lambda 1e-3 -q "$@"; }
fit --inputs x,y --outputs a,b,c --sigma 3 -o three.orff
expect 0 '"panels": 3' "$orff" plot three.orff -o three.svg --keep --json
[ "$(grep -c '^plot' three.svg.gp)" -eq 3 ] || fail "$(grep -c '^plot' three.svg.gp) panels"
for name in a b c; do grep -q "set title \"$name\"" three.svg.gp || fail "no title $name"; done
fit --inputs x,y --outputs a,b --sigma 3 -o two.orff
expect 0 '"what": "field"' "$orff" plot two.orff -o two.svg --json
expect 0 '"panels": 2' "$orff" plot two.orff --what outputs -o two.svg --json
fit --inputs x,y,t --outputs c --sigma 3 -o time.orff
expect 0 't is fixed at 2' "$orff" plot time.orff -o time.svg
slice() { "$orff" plot time.orff --grid "x=0:9:2,y=0:10:2,t=$1" --everywhere -o slice.svg --keep -q; awk '/^\$colours/ { inside = 1; next } /^EOD/ { inside = 0 } inside && $1 > 8 { sum += $3 } END { print sum }' slice.svg.gp; rm slice.svg.gp; }
less "$(slice 0)" "$(slice 4)" "slices at 0 and 4"
expect 2 '3 inputs have a range.*time=6' "$orff" plot time.orff --grid x=0:9:2,y=0:9:2,t=0:4:2 -o time.svg
expect 0 '"panels": 1' "$orff" plot time.orff --grid x=3,y=3,t=0:4:2 -o time.svg --json
fit --inputs x --outputs a,c --sigma 3 -o line.orff
expect 0 '"panels": 2' "$orff" plot line.orff --points table.csv -o line.svg --keep --json
grep -q filledcurves line.svg.gp || fail "no band"
awk '/^\$curves/ { inside = 1; next } /^EOD/ { inside = 0 } inside && !($3 < $2 && $2 < $4) { wrong++ } END { exit wrong }' line.svg.gp || fail "bands"
expect 1 'two inputs and two outputs; there are 1 and 2' "$orff" plot line.orff --what curl -o p.svg
expect 2 'a coast needs' "$orff" plot line.orff --coast island.txt -o p.svg
finish
