#!/bin/sh
# Commands that only print, without memory and with a standard output that fails.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/faults.sh"

prepare field t.csv 1 24
prepare "$orff" fit t.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 6 --sigma 0.7 -q -o m.orff
prepare "$orff" moments t.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 6 --sigma 0.7 -q -o a.moments

faults info-model m.orff info m.orff
faults info-model-json m.orff info m.orff --json
faults info-moments a.moments info a.moments
faults info-moments-json a.moments info a.moments --json
faults info-csv t.csv info t.csv
faults info-csv-json t.csv info t.csv --json
faults kernel t.csv kernel --kernel curl-free+div-free --sigma 1+2 --x 0,0 --z 1,0.5 --features 10
faults kernel-json t.csv kernel --kernel div-free --sigma 1 --x 0,0 --z 1,0.5 --features 10 --json
faults bound t.csv bound --kernel curl-free --sigma 1 --dim 2 --diameter 2 --epsilon 0.3 --features 100
faults bound-json t.csv bound --kernel curl-free --sigma 1 --dim 2 --diameter 2 --epsilon 0.3 --json
faults plan t.csv plan --n 50 --dim 2 --outputs 1 --features 5 --sigma 1 --json
finish
