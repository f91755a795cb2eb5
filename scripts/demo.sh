#!/bin/sh
# The demo: January winds over the North Atlantic. A fifth of the points is held out; several kernels are fitted to a
# few hundred of the remaining points and to all of them; the best fit then draws the field, its error bars and its
# vorticity.
#
#   scripts/demo.sh ORFF DIRECTORY      (the program, and where to write)
set -eu

[ $# -eq 2 ] || { echo "usage: scripts/demo.sh ORFF DIRECTORY" >&2; exit 2; }
orff=$1
out=$2
winds=$(dirname "$0")/../examples/data/coads_january_atlantic.csv
columns="--geo lonlat --inputs lon_deg,lat_deg --outputs u_ms,v_ms"
# Waiting threads give up the processor soon; spinning ones slow down a busy machine.
export GOMP_SPINCOUNT="${GOMP_SPINCOUNT:-100}"
mkdir -p "$out"

awk 'NR == 1 || NR % 5' "$winds" >"$out/rest.csv"
awk 'NR == 1 || NR % 5 == 0' "$winds" >"$out/held_out.csv"
awk 'NR == 1 || NR % 3 == 0' "$out/rest.csv" >"$out/few.csv"

# number KEY FILE: prints a number from a JSON object, by its key
number() {
    sed -n "s/.*\"$1\": *\([-+.0-9e]*\).*/\1/p" "$2" | head -n 1
}

# try TABLE KERNEL: fits, and prints the error on the held-out points
try() {
    weight=
    case $2 in *+*) weight="--weight auto" ;; esac
    # shellcheck disable=SC2086  # words
    "$orff" fit "$out/$1.csv" $columns --kernel "$2" $weight --quiet --json -o "$out/$1.orff" \
        >"$out/fit.json" || exit 1
    "$orff" evaluate "$out/$1.orff" "$out/held_out.csv" --quiet --json >"$out/evaluate.json"
    printf '%8.3f m/s in %4.1f s' "$(number rmse "$out/evaluate.json")" "$(number seconds "$out/fit.json")"
}

rows() { awk 'END { print NR - 1 }' "$out/$1.csv"; }

echo "January winds over the North Atlantic (COADS): $(rows held_out) points are held out."
echo
printf '%-26s %22s   %22s\n' "error on them, learning from" "$(rows few) points" "$(rows rest) points"
for kernel in decomposable curl-free div-free curl-free+div-free div-free+decomposable auto; do
    printf '%-26s %24s   %24s\n' "$kernel" "$(try few "$kernel")" "$(try rest "$kernel")"
done
echo

# The model to keep: the last one, auto on all points that are not held out.
mv "$out/rest.orff" "$out/wind.orff"
sed -n 's/.*"found": "\(.*\)",*$/The field is made of \1./p' "$out/fit.json"
"$orff" predict "$out/wind.orff" --grid lon_deg=295:350:56,lat_deg=1:59:59 --std --derive curl,divergence --samples 20 --quiet \
    -o "$out/wind.nc"
if command -v gnuplot >/dev/null 2>&1; then
    "$orff" plot "$out/wind.orff" --quiet -o "$out/wind.png"
    "$orff" plot "$out/wind.orff" --what curl --quiet -o "$out/vorticity.png"
    pictures="
  $out/wind.png        the field
  $out/vorticity.png   its vorticity"
else
    pictures="
  (no pictures: gnuplot is not installed)"
fi
rm -f "$out/fit.json" "$out/evaluate.json" "$out/few.orff"
echo
echo "Written:
  $out/wind.orff       the model
  $out/wind.nc         winds, standard deviations, vorticity and divergence on a grid$pictures"
