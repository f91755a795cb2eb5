#!/bin/sh
# What a picture shows: scales, colours, labels, panels, styles, and what lies over the colours.
. "$SOURCE_DIR/tests/cli/common.sh"
command -v gnuplot >/dev/null || { echo "skipped: gnuplot is not installed"; exit 77; }

# block NAME: the lines of a block of data in the script on standard input, without empty ones.
block() { awk -v name="\$$1" '$1 == name && $2 == "<<" { inside = 1; next } /^EOD/ { inside = 0 } inside && NF'; }
plot() { rm -f p.svg.gp && "$orff" plot "$@" -o p.svg --keep -q; }

# A turning wheel, with a jet in a tenth of it.
awk 'BEGIN { srand(3); print "x_km,y_km,uwnd_ms,vwnd_ms"; for (i = 0; i < 300; i++) { x = 4 * rand() - 2; y = 4 * rand() - 2
    printf "%g,%g,%g,%g\n", x, y, -y, x } }' >wheel.csv
awk 'BEGIN { srand(4); print "x_km,y_km,u_ms,v_ms"; for (i = 0; i < 300; i++) { x = 10 * rand(); y = 10 * rand()
    printf "%g,%g,%g,%g\n", x, y, 1 + 40 * exp(-((y - 5) / 0.5) ^ 2), 0 } }' >jet.csv
fit() { "$orff" fit "$1.csv" --inputs 1,2 --outputs 3,4 --lambda 1e-4 --features 200 -q -o "$1.orff" --sigma "$2"; }
fit wheel 2
fit jet 1.5

# Arrows: by a quantile, so that the strongest are longer than the distance between them; one tells the scale.
plot jet.orff --everywhere
block arrows <p.svg.gp | awk '{ l = sqrt($3 ^ 2 + $4 ^ 2); if (l > most) most = l; n++ } END { exit !(n > 100 && most > 1.2 * 10 / 24) }' ||
    fail "the longest arrow rules the others"
grep -q '^set arrow 1 from screen' p.svg.gp || fail "no arrow tells the scale"
grep -Eq '>[ 	]*(<tspan[^>]*>)?[0-9.]+ m/s *<' p.svg || fail "the scale of arrows has no value"

# White means: not known. No colour of a scale is near it; labels have names and units.
for what in field curl error; do
    plot wheel.orff --what $what
    grep '^set palette' p.svg.gp | grep -o '#[0-9a-f]*' >stops
    [ "$(wc -l <stops)" -gt 16 ] || fail "$what: no colours"
    ! grep -Eq '#(f[0-9a-f]){3}' stops || fail "$what: $(grep -E '#(f[0-9a-f]){3}' stops | head -n 1) is white"
done
plot wheel.orff
grep -q 'wind speed (m/s)' p.svg || fail "no name of the colours"
plot wheel.orff --what curl
grep -q 'vorticity (m/(s km))' p.svg || fail "no name of the vorticity"
# shellcheck disable=SC2016  # a text
plot jet.orff --quantity 'flow' --title 'a "b" `touch CANARY` {c}_d'
grep -q 'flow (m/s)' p.svg || fail "no quantity"
# shellcheck disable=SC2016
grep -q '`touch CANARY` {c}_d' p.svg || fail "no title"
[ ! -e CANARY ] || fail "a title is obeyed"

# Errors are seen where they are large, also where the field is not drawn.
wide='x_km=-2:8:2,y_km=-2:2:2'
plot wheel.orff --grid "$wide" --what field,error
block colours <p.svg.gp | awk '$1 > 7 { n++; field += $3 != "NaN"; error += $4 == "NaN" } END { exit !(n > 100 && !field && !error) }' ||
    fail "errors are not drawn where they are large"
plot wheel.orff --grid "$wide" --hatch
block hatch <p.svg.gp | awk '{ n++; if ($1 < 1) near++ } END { exit !(n > 100 && near < n / 20) }' || fail "hatching"
! block colours <p.svg.gp | grep -q NaN || fail "--hatch leaves places out"

# What is known is measured against the prior: stations far apart leave the sea between them white.
awk 'BEGIN { srand(6); print "x_km,y_km,u_ms,v_ms"; for (i = 0; i < 80; i++) { x = 100 * (i % 2) + 4 * rand(); y = 100 * (int(i / 2) % 2) + 4 * rand()
    printf "%g,%g,%g,%g\n", x, y, 3 + rand() / 10, 1 + rand() / 10 } }' >far.csv
fit far 5
plot far.orff
block colours <p.svg.gp | awk '$1 > 30 && $1 < 70 || $2 > 30 && $2 < 70 { sea++; painted += $3 != "NaN"; next }
    ($1 < 3 || $1 > 101) && ($2 < 3 || $2 > 101) { coast++; white += $3 == "NaN" }
    END { exit !(sea > 100 && !painted && coast > 20 && white < coast / 10) }' || fail "far from all stations the field is drawn as known"
expect 0 'little anywhere in this picture' "$orff" plot far.orff --grid x_km=40:60:2,y_km=40:60:2 -o p2.svg

# Panels side by side; a single output has lines of equal values.
expect 0 '"panels": 3' "$orff" plot wheel.orff --what field,error,curl -o panels.svg --json
for text in 'wind speed' 'standard deviation' vorticity; do grep -q "$text" panels.svg || fail "no panel of $text"; done
expect 2 'is not a list' "$orff" plot wheel.orff --what field,culr -o panels.svg
expect 2 'is not a list' "$orff" plot wheel.orff --what field,tuning -o panels.svg
"$orff" fit wheel.csv --inputs 1,2 --outputs 3 --sigma 2 --lambda 1e-4 -q -o one.orff
plot one.orff
# shellcheck disable=SC2016  # a name of gnuplot's
grep -q '^    \$contours using' p.svg.gp || fail "no lines of equal values"
plot one.orff --contours no
! grep -q contours p.svg.gp || fail "lines of equal values that nobody wants"
expect 2 'not auto, yes or no' "$orff" plot one.orff --contours maybe -o p.svg

# What the kernel makes zero is drawn as zero, not as the pattern of its rounding.
"$orff" fit wheel.csv --inputs 1,2 --outputs 3,4 --kernel div-free --sigma 2 --lambda 1e-4 --features 200 -q -o turning.orff
expect 0 'divergence is zero everywhere' "$orff" plot turning.orff --what divergence,curl --keep -o zero.svg
block colours <zero.svg.gp | awk '$3 != "NaN" { n++; other += $3 != 0; curl += $4 > 0.1 } END { exit !(n > 100 && !other && curl > 100) }' ||
    fail "a divergence of rounding"
grep -q 'cbrange \[-1:1\]' zero.svg.gp || fail "zero is not in the middle of the colours"

# In three panels there is room for fewer arrows, unless their number is given.
plot wheel.orff
block arrows <p.svg.gp | wc -l >alone
plot wheel.orff --what field,error,curl
[ "$(block arrows <p.svg.gp | wc -l)" -lt "$(cat alone)" ] || fail "as many arrows in small panels"
plot wheel.orff --what field,error,curl --arrows 24
[ "$(block arrows <p.svg.gp | wc -l)" -ge "$(cat alone)" ] || fail "arrows that were asked for"

# Streamlines of a wheel are circles; ellipses have a size.
plot wheel.orff --streamlines --everywhere
awk '$1 == "$streams" { inside = 1; next } /^EOD/ { inside = 0 } !inside { next }
    !NF { low = high = 0; next } { r = sqrt($1 ^ 2 + $2 ^ 2); n++
        if (!low || r < low) low = r; if (r > high) high = r; if (r > 0.3 && high > 1.05 * low + 0.02) wrong++ }
    END { exit !(n > 500 && !wrong) }' p.svg.gp || fail "streamlines are no circles"
# shellcheck disable=SC2016
grep -q '^    \$streams using' p.svg.gp || fail "streamlines are not drawn"
plot wheel.orff --ellipses
block ellipses <p.svg.gp | awk '{ n++; if (!($3 > 0 && $4 > 0 && $3 >= $4)) wrong++ } END { exit !(n > 50 && !wrong) }' || fail "ellipses"

# Maps: degrees, coasts, and as many arrows as the true aspect has room for: at 75 N the region is twice as high as wide.
awk 'BEGIN { srand(5); print "lon,lat,u_ms,v_ms"; for (i = 0; i < 200; i++) printf "%g,%g,%g,%g\n", 10 + 20 * rand(), 70 + 10 * rand(), 1 + rand(), rand() }' >north.csv
"$orff" fit north.csv --inputs 1,2 --outputs 3,4 --geo lonlat --sigma 300 --lambda 0.1 --features 60 -q -o north.orff
plot north.orff --grid lon=10:30:2,lat=70:80:2 --everywhere
for text in '75°N' '20°E'; do grep -q "$text" p.svg || fail "no $text"; done
# shellcheck disable=SC2016
grep -q '^    \$coast using' p.svg.gp || fail "no coast"
block arrows <p.svg.gp | awk '{ y = sprintf("%.3f", $2 + $4 / 2); rows[y] } END { n = 0; for (y in rows) n++; exit !(n == 24 && NR / n > 11 && NR / n < 14) }' ||
    fail "arrows do not follow the true aspect"

# Places of a fine grid do not cover the map.
awk 'BEGIN { print "x_km,y_km"; for (i = 0; i < 150; i++) for (k = 0; k < 150; k++) print i / 40 - 2 "," k / 40 - 2 }' >fine.csv
expect 0 '20000 of 22500 points are marked|points are marked' "$orff" plot wheel.orff --points fine.csv -o fine.svg --keep
awk '/points using/ { for (i = 1; i < NF; i++) if ($i == "ps") size = $(i + 1) } END { exit !(size > 0 && size < 0.15) }' fine.svg.gp || fail "marks of many points are large"

# Styles and sizes on paper: 140 mm are 529 pixels of SVG.
plot wheel.orff --style dark
grep -q '#14171c' p.svg.gp || fail "dark is not dark"
plot wheel.orff --style paper
grep -q 'width="529"' p.svg || fail "paper: $(grep -o 'width="[0-9]*"' p.svg | head -n 1)"
plot wheel.orff --size 17cmx12cm
grep -q 'width="642"' p.svg || fail "17 cm: $(grep -o 'width="[0-9]*"' p.svg | head -n 1)"
expect 2 '"17cmx12" is not WxH' "$orff" plot wheel.orff --size 17cmx12 -o p2.svg
expect 2 '"loud" is not known' "$orff" plot wheel.orff --style loud -o p2.svg
for kind in png pdf; do expect 0 "p2.$kind" "$orff" plot wheel.orff --style talk -o p2.$kind; done

# A curve has a title: what was given, else where other inputs are held.
plot one.orff --grid x_km=-1:1:2,y_km=0.5
grep -q 'y = 0.5 km' p.svg || fail "a curve does not say where it is"
awk 'BEGIN { print "x_km,date,air_degC"; for (i = 0; i < 60; i++) printf "%g,2024-05-0%d,%g\n", i / 10, 1 + i % 3, i % 7 }' >dated.csv
"$orff" fit dated.csv --inputs x_km,date --outputs air_degC --sigma 2 --scale-inputs yes --lambda 1e-2 -q -o dated.orff
plot dated.orff --grid x_km=0:5:2,date=36
grep -q 'date = 2024-05-02T12:00:00Z' p.svg || fail "no date"
grep -q 'air (°C)' p.svg || fail "no degrees"
plot one.orff --grid x_km=-1:1:2,y_km=0.5 --title 'the middle'
grep -q 'the middle' p.svg || fail "a curve has no title"
plot wheel.orff --what matrix
! grep '^set palette' p.svg.gp | grep -q '#ffffff' || fail "matrix: white"

# Calibration: of rows like those learned from it is about right. Residuals, with what they should look like.
field learn.csv 1 300
field test.csv 301 700
"$orff" fit learn.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --features 60 -q -o noisy.orff
expect 0 '"n": 400' "$orff" plot noisy.orff test.csv --what calibration -o c.svg --json
less "$(number out worst)" 0.2 "calibration"
grep -q 'values inside' c.svg || fail "no label of the calibration"
"$orff" plot noisy.orff test.csv --what residuals -o r.svg -q
grep -q 'measured minus predicted (m/s)' r.svg || fail "no label of the residuals"
expect 2 'needs DATA' "$orff" plot noisy.orff --what calibration -o c2.svg
expect 2 'DATA is for' "$orff" plot noisy.orff test.csv -o c2.svg
[ ! -e c2.svg ] || fail "a failed plot leaves files"

# Spectrum: of two waves of wavenumber pi and mean square 1/2 each all power is there, by a lattice and by features. The kernel's
# own is that of a Gaussian in the plane, k exp(-k^2/8) for a length scale of 1/2.
awk 'BEGIN { srand(7); print "x_km,y_km,u_ms,v_ms"; for (i = 0; i < 1500; i++) { x = 12 * rand(); y = 12 * rand()
    printf "%g,%g,%g,%g\n", x, y, sin(3.14159265 * y), sin(3.14159265 * x) } }' >waves.csv
for engine in lattice features; do
    more=
    [ $engine = lattice ] || more="--features 300"
    # shellcheck disable=SC2086  # none or two words
    "$orff" fit waves.csv --inputs 1,2 --outputs 3,4 --engine $engine --kernel decomposable --base gaussian --sigma 0.5 --lambda 1e-6 $more -q -o waves.orff
    rm -f s.svg.gp
    expect 0 '"what": "spectrum"' "$orff" plot waves.orff --what spectrum -o s.svg --keep --json
    less 0.97 "$(number out mean_square)" "$engine: power"
    less "$(number out mean_square)" 1.03 "$engine: power"
    block learned <s.svg.gp | awk '{ all += $1 * $2; if ($1 > 2.4 && $1 < 4) near += $1 * $2 } END { exit !(near > 0.97 * all) }' ||
        fail "$engine: the power is not at its wavenumber"
    block prior <s.svg.gp | awk '$1 > 0.7 && $1 < 3 { r = $2 / ($1 * exp(-$1 ^ 2 / 8)); if (!n++) first = r
        if (r / first > 1.15 || r / first < 0.85) wrong++ } END { exit !(n > 3 && !wrong) }' || fail "$engine: the spectrum of the kernel"
done
grep -q 'wavenumber (rad/km)' s.svg || fail "no label of the wavenumber"
grep -q 'power per wavenumber ((m/s)²/(rad/km))' s.svg || fail "no label of the power"
"$orff" fit wheel.csv --inputs 1,2 --outputs 3,4 --sigma 2 --lambda 1e-4 --engine exact -q -o exact.orff
expect 1 'not a sum of waves.*--engine lattice' "$orff" plot exact.orff --what spectrum -o s2.svg

# Numbers at the axes are short and differ, also where data begin just above a tic or are far from 0.
tics() { sed -n "s/^set $1tics (\(.*\))/\1/p" p.svg.gp | grep -o "'[^']*'" | tr -d "'" | tr '\n' ' '; }
awk 'BEGIN { srand(5); print "x,y,u,v"; for (i = 0; i < 100; i++) { x = rand(); y = rand(); print x, y, sin(3 * x), cos(3 * y) }
    print 1e-6, 2e-7, 0, 1; print 0.9999991, 0.9999998, 0, -1 }' | tr ' ' , >unit.csv
awk -F, 'NR == 1 { print; next } { printf "%.3f,%.3f,%s,%s\n", 456000.3 + 900 * $1, 5600000.1 + 900 * $2, $3, $4 }' unit.csv >utm.csv
fit unit 0.5
plot unit.orff --everywhere
[ "$(tics x)" = "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 " ] || fail "tics: $(tics x)"
[ "$(tics x)" = "$(tics y)" ] || fail "tics: $(tics y)"
fit utm 500
plot utm.orff --everywhere
[ "$(tics y)" = "$(seq -s ' ' 5600000 100 5600900) 5601000 " ] || [ "$(tics y)" = "$(seq -s ' ' 5600000 100 5600900) " ] ||
    fail "tics: $(tics y)"
tics x | grep -Eq '^456[0-9]{3} (45[67][0-9]{3} )+$' || fail "tics: $(tics x)"
finish
