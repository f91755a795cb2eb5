#!/bin/sh
# predict and evaluate without memory and on failing disks: every format that is written.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/faults.sh"

prepare field t.csv 1 24
awk -F, 'NR == 1 { print "a,b,kind"; next } { print $1 "," $2 "," ($1 > 0 ? "east" : "west") }' "$inputs/t.csv" >"$inputs/kind.csv"
prepare "$orff" fit t.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 6 --sigma 0.7 -q -o m.orff
prepare "$orff" fit kind.csv --outputs kind --classify --features 6 --sigma 0.7 -q -o k.orff
prepare "$orff" exact t.csv --inputs x_km,y_km --outputs u_ms,v_ms --sigma 0.7 -q -o e.orff
gzip -c "$inputs/t.csv" >"$inputs/t.csv.gz"
grid=x_km=-1:1:5,y_km=-1:1:4

faults predict-csv 'm.orff t.csv' predict m.orff t.csv --std --derive curl -o old.csv
faults predict-stdout 'm.orff t.csv' predict m.orff t.csv -o -
faults predict-gz 'm.orff t.csv.gz' predict m.orff t.csv.gz -o old.csv.gz
faults predict-npy 'm.orff t.csv' predict m.orff t.csv -o old.npy
faults predict-nc m.orff predict m.orff --grid $grid --std -o old.nc
faults predict-points 'm.orff t.csv' predict m.orff t.csv -o old.nc
faults predict-classes 'k.orff kind.csv' predict k.orff kind.csv -o old.nc
faults predict-exact 'e.orff t.csv' predict e.orff t.csv --std -o old.csv
faults evaluate 'm.orff t.csv' evaluate m.orff t.csv
faults evaluate-json 'm.orff t.csv' evaluate m.orff t.csv --json
faults evaluate-classes 'k.orff kind.csv' evaluate k.orff kind.csv
finish
