#!/bin/sh
# What chooses by itself, and exact models, without memory and on failing disks.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/faults.sh"

prepare field t.csv 1 16
columns='--inputs x_km,y_km --outputs u_ms,v_ms'
# shellcheck disable=SC2086  # words
{
    faults fit-auto t.csv fit t.csv $columns --kernel auto --features 6 -q -o old.orff
    faults fit-sgd t.csv fit t.csv $columns --features 6 --sigma 0.7 --lambda 1e-2 --loss huber --iterations 3 -q -o old.orff
    faults fit-pcg t.csv fit t.csv $columns --features 6 --sigma 0.7 --lambda 1e-2 --solver pcg -q -o old.orff
    faults exact t.csv exact t.csv $columns --sigma 0.7 -q -o old.orff
    faults exact-auto t.csv -f memory exact t.csv $columns --kernel auto -q -o old.orff
    faults tune t.csv -s old.csv tune t.csv $columns --features 6 --sigma 0.5 --sigma 0.7 --report old.csv -q -o old.orff
}
finish
