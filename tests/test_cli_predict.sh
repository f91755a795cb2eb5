#!/bin/sh
# predict: every format out, error bars, derived fields, grids; and data in every format.
. "$SOURCE_DIR/tests/cli/common.sh"

field train.csv 1 300
field test.csv 301 400
fit() { "$orff" fit "$@" --kernel div-free --sigma 0.8 --features 60 --quiet; }
fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms -o m.orff
header() { head -n 1 "$1"; }

expect 0 '100 rows predicted' "$orff" predict m.orff test.csv -o p.csv
[ "$(header p.csv)" = x_km,y_km,u_ms,v_ms ] || fail "header $(header p.csv)"
[ "$(wc -l <p.csv)" -eq 101 ] || fail "rows $(wc -l <p.csv)"
"$orff" predict m.orff test.csv --std --derive divergence,curl,potential,stream,jacobian -o all.csv -q
[ "$(header all.csv)" = "x_km,y_km,u_ms,v_ms,u_ms_std,v_ms_std,divergence,curl,potential,stream,du_ms_dx_km,du_ms_dy_km,dv_ms_dx_km,dv_ms_dy_km" ] ||
    fail "header $(header all.csv)"
# A divergence-free model has none; the curl is that of the derivatives; stream function of cos 2x cos 3y / 3 up to a constant.
awk -F, 'NR > 1 { if ($7 > 1e-9 || $7 < -1e-9) bad++; c = $8 - ($13 - $12); if (c > 1e-9 || c < -1e-9) bad++
    if ($5 <= 0 || $5 > 0.1) bad++ } END { exit bad > 0 }' all.csv || fail "derived fields"

# Bare, tsv, gz, npy, nc, standard output.
"$orff" predict m.orff test.csv --bare -o bare.csv -q
[ "$(header bare.csv)" = u_ms,v_ms ] || fail "--bare"
"$orff" predict m.orff test.csv -o - -q | cmp -s - p.csv || fail "standard output differs"
"$orff" predict m.orff - -o - -q <test.csv | cmp -s - p.csv || fail "standard input differs"
gzip -k test.csv
"$orff" predict m.orff test.csv.gz -o p.csv.gz -q
gzip -dc p.csv.gz | cmp -s - p.csv || fail "gzip differs"
"$orff" predict m.orff test.csv -o p.npy -q
expect 0 'npy data, 2 columns, 100 rows' "$orff" info p.npy
expect 0 '"columns"' "$orff" predict m.orff test.csv -o p.npy --json
expect 2 'cannot hold both' "$orff" predict m.orff test.csv -o - --json

# Grids: the first input runs fastest; ends are exact.
"$orff" predict m.orff --grid x_km=-1:1:5,y_km=0:0.5:3 -o g.csv -q
[ "$(wc -l <g.csv)" -eq 16 ] || fail "grid rows"
sed -n 2p g.csv | grep -q '^-1,0,' || fail "grid: $(sed -n 2p g.csv)"
sed -n 3p g.csv | grep -q '^-0.5,0,' || fail "grid: $(sed -n 3p g.csv)"
tail -n 1 g.csv | grep -q '^1,0.5,' || fail "grid: $(tail -n 1 g.csv)"
expect 2 'input 2 \(y_km\) is missing' "$orff" predict m.orff --grid x_km=0:1:3 -o g.csv
expect 2 '"x" is not an input .*"x_km"' "$orff" predict m.orff --grid x=0:1:3,y_km=0 -o g.csv
expect 2 'is not LO:HI:COUNT' "$orff" predict m.orff --grid x_km=1:0:3,y_km=0 -o g.csv
# A mistake of many zeros is refused before any work, with what it would take; the old file stays.
cp g.csv before.csv
million=x_km=0:1:1000000,y_km=0:1:1000000
for out in g.csv g.csv.gz new.npy new.nc -; do
    expect 1 '--grid: 1000000000000 points would take at least [0-9.e+]+ GB .*fewer points' \
        "$orff" predict m.orff --grid $million -o $out
done
expect 1 '--grid: 1000000000000000000 points would take at least' \
    "$orff" predict m.orff --grid x_km=0:1:1000000000,y_km=0:1:1000000000 -o g.csv
cmp -s g.csv before.csv && [ ! -e new.npy ] && [ ! -e new.nc ] || fail "a grid that was refused has written something"
expect 2 'give --grid or DATA, not both' "$orff" predict m.orff test.csv --grid x_km=1,y_km=0 -o g.csv
expect 2 'DATA or --grid is missing' "$orff" predict m.orff -o g.csv
if "$orff" predict m.orff --grid x_km=-1:1:5,y_km=0:0.5:3 --std -o g.nc -q 2>err; then
    expect 0 'netcdf data' "$orff" info g.nc
    expect 0 'curl.nc' "$orff" predict m.orff --grid x_km=-1:1:5,y_km=0:0.5:3 --derive curl -o curl.nc
    expect 0 'curl \[m s-1 km-1\]' "$orff" info curl.nc
    # Predictions of the grid are data again.
    expect 0 'u_ms' "$orff" evaluate m.orff g.nc
    expect 0 '"rmse": ([0-9.]+e-[01][0-9]|0\.0),' "$orff" evaluate m.orff g.nc --json
else
    grep -q 'NetCDF' err || fail "g.nc: $(cat err)"
fi

# npy FILE ROWS COLUMNS BYTES: an array of small whole numbers, octal bytes.
npy() {
    dictionary="{'descr': '|u1', 'fortran_order': False, 'shape': ($2, $3), }"
    # shellcheck disable=SC2059  # the bytes are a format
    { printf '\223NUMPY\001\000\166\000'; printf '%-117s\n' "$dictionary"; printf "$4"; } >"$1"
}
# y = x1 + x2 on a pair of arrays, plain and packed.
npy X.npy 8 2 '\000\000\000\001\001\000\001\001\002\001\001\002\002\002\003\000'
npy Y.npy 8 1 '\000\001\001\002\003\003\004\003'
gzip -k X.npy Y.npy
expect 0 'rows +8 used' "$orff" fit X.npy Y.npy --sigma 2 --lambda 1e-8 --features 30 -o pair.orff
expect 0 '"rmse": [0-9.]+e-[0-9]+' "$orff" evaluate pair.orff X.npy.gz Y.npy.gz --json
expect 0 '8 rows predicted' "$orff" predict pair.orff X.npy -o pair.npy
expect 0 'npy data, 1 columns, 8 rows' "$orff" info pair.npy
npy Z.npy 7 1 '\000\001\001\002\003\003\004'
expect 1 'Z.npy' "$orff" fit X.npy Z.npy --sigma 2 -o no.orff

# Errors.
expect 2 '"gradient" is not known' "$orff" predict m.orff test.csv --derive gradient -o p2.csv
printf 'a,b\n1,2\n' >other.csv
expect 2 'no column "x_km"' "$orff" predict m.orff other.csv -o p2.csv
printf 'x_km,y_km\n0,zero\n' >word.csv
expect 1 'word.csv: line 2, column 2 \(y_km\)' "$orff" predict m.orff word.csv -o p2.csv
printf 'x_km,y_km\n0,1\n0,NA\n1,1\n' >missing.csv
expect 1 'line 3' "$orff" predict m.orff missing.csv -o p2.csv
expect 0 '2 rows predicted, 1 dropped' "$orff" predict m.orff missing.csv --skip-missing -o p3.csv
[ ! -e p2.csv ] || fail "a failed prediction has left a file"
expect 1 'nowhere' "$orff" predict m.orff test.csv -o nowhere/p.csv
fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms -o bare.orff --posterior no
expect 1 '.' "$orff" predict bare.orff test.csv --std -o p2.csv
# A reader that goes away is an error, not a death by signal.
status=0
{ "$orff" predict m.orff --grid x_km=0:1:300,y_km=0:1:300 -o - -q 2>err || echo $? >status; } | head -n 1 >/dev/null
[ -e status ] && status=$(cat status)
[ "$status" -eq 1 ] || fail "broken pipe: status $status $(cat err)"
# A full disk leaves no file.
(ulimit -f 8; trap '' XFSZ; "$orff" predict m.orff --grid x_km=0:1:100,y_km=0:1:100 -o big.csv -q 2>err) && fail "a file beyond the limit"
[ ! -e big.csv ] || fail "a half file stays"
[ -z "$(ls big.csv* .big* 2>/dev/null || :)" ] || fail "a temporary file stays"
finish
