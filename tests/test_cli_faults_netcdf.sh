#!/bin/sh
# Reading NetCDF without memory: it is done in a child process, whose death is an error like others.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/faults.sh"

prepare field t.csv 1 24
prepare "$orff" fit t.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 6 --sigma 0.7 -q -o m.orff
prepare "$orff" predict m.orff --grid x_km=-1:1:5,y_km=-1:1:4 -q -o g.nc
"$orff" info "$inputs/g.nc" >/dev/null 2>&1 || { echo "skipped: this build does not read NetCDF"; exit 77; }

faults info-nc g.nc -f memory info g.nc
faults fit-nc g.nc -f memory fit g.nc --inputs x_km,y_km --outputs u_ms,v_ms --features 6 --sigma 0.7 --lambda 1e-3 -o old.orff
faults predict-from-nc 'm.orff g.nc' -f memory predict m.orff g.nc -o old.csv
finish
