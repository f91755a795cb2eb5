#!/bin/sh
# Where currents carry what floats, and how sure that is: surface currents seen by HF radar, particles released in them, the path
# through the prediction and those through posterior samples. docs/answers.md explains.
#
#   examples/drift.sh ORFF RADAR.csv PICTURE.svg      (the program, a table lon_deg,lat_deg,u_ms,v_ms, and the picture; needs gnuplot)
set -eu

[ $# -eq 3 ] || { echo "usage: examples/drift.sh ORFF RADAR.csv PICTURE.svg" >&2; exit 2; }
orff=$1
picture=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One row of twenty: with all of them, which were smoothed before they were published, paths hardly spread.
case $2 in *.gz) gzip -dc "$2" ;; *) cat "$2" ;; esac | awk 'NR == 1 || NR % 20 == 2' >"$work/radar.csv"
"$orff" fit "$work/radar.csv" --inputs lon_deg,lat_deg --outputs u_ms,v_ms --geo lonlat --quiet -o "$work/currents.orff"
printf 'lon_deg,lat_deg\n-74.5,36\n-75.1,34.6\n-73.5,39\n-72.2,40\n-71,40.8\n' >"$work/releases.csv"
"$orff" drift "$work/currents.orff" --from "$work/releases.csv" --hours 48 --every 2 --samples 25 --mask distance=40 -o "$work/tracks.csv"
"$orff" predict "$work/currents.orff" --grid lon_deg=-76.5:-69.5:36,lat_deg=34:41.5:38 --mask distance=30 --quiet -o "$work/arrows.csv"

cat >"$work/draw.gp" <<'END'
set terminal svg size 800,900 font 'sans-serif,14' background 'white'
set output 'picture.svg'
set datafile separator ','
set size ratio -1.27
set border 3
set tics nomirror
unset key
set xlabel 'longitude'
set ylabel 'latitude'
plot 'arrows.csv' every ::1 using 1:2:($3 * 0.3):($4 * 0.24) with vectors head size screen 0.004,20 lc rgb '#9bbdd6', \
    'tracks.csv' every ::1 using ($3 > 0 ? $4 : 1/0):5 with dots lc rgb '#e08a3c', \
    'tracks.csv' every ::1 using ($3 > 0 && $1 == 48 ? $4 : 1/0):5 with points pt 7 ps 0.25 lc rgb '#d95f02', \
    for [p = 1:5] 'tracks.csv' every ::1 using ($3 == 0 && $2 == p ? $4 : 1/0):5 with lines lw 2 lc rgb 'black', \
    'releases.csv' every ::1 using 1:2 with points pt 6 ps 0.8 lc rgb 'black'
END
(cd "$work" && gnuplot draw.gp)
cp "$work/picture.svg" "$picture"
