#!/bin/sh
# plot without memory and on failing disks.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/faults.sh"
command -v gnuplot >/dev/null || { echo "gnuplot is not installed"; exit 77; }

prepare field t.csv 1 24
prepare "$orff" tune t.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 6 --sigma 0.5 --sigma 0.7 --report r.csv -q -o m.orff

faults plot-field 'm.orff t.csv' plot m.orff --points t.csv --arrows 3 --grid x_km=-1:1:4,y_km=-1:1:4 -o old.svg
faults plot-tuning r.csv plot r.csv -o old.svg
finish
