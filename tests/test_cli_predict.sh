#!/bin/sh
# predict: NetCDF, where the build has it, and ends that are not its own: a reader that goes away, a full disk. Other formats,
# derived fields and grids are in cli/predict and cli/arrays.
. "$SOURCE_DIR/tests/cli/common.sh"

field train.csv 1 300
"$orff" fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 --features 60 --quiet -o m.orff

if "$orff" predict m.orff --grid x_km=-1:1:5,y_km=0:0.5:3 --std -o g.nc -q 2>err; then
    expect 0 'netcdf data' "$orff" info g.nc
    expect 0 'curl.nc' "$orff" predict m.orff --grid x_km=-1:1:5,y_km=0:0.5:3 --derive curl -o curl.nc
    expect 0 'curl \[m s-1 km-1\]' "$orff" info curl.nc
    # Predictions of the grid are data again.
    expect 0 'u_ms' "$orff" evaluate m.orff g.nc
    "$orff" evaluate m.orff g.nc --json -q >e.json
    less "$(number e.json rmse)" 1e-9 "predictions of the grid, evaluated"
else
    grep -q 'NetCDF' err || fail "g.nc: $(cat err)"
fi

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
