#!/bin/sh
# fit without memory and on failing disks.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/faults.sh"

prepare field t.csv 1 24
awk -F, 'NR == 1 { print $0 ",time_h"; next } { print $0 "," NR % 5 }' "$inputs/t.csv" >"$inputs/time.csv"
columns='--inputs x_km,y_km --outputs u_ms,v_ms'
fixed='--features 6 --sigma 0.7'
awk -F, 'NR == 1 { print "a,b,kind"; next } { print $1 "," $2 "," ($1 > 0 ? "east" : "west") }' "$inputs/t.csv" >"$inputs/kind.csv"
# shellcheck disable=SC2086  # words
prepare "$orff" fit t.csv $columns $fixed -q -o m.orff
prepare "$orff" predict m.orff t.csv --bare -q -o y.npy

# shellcheck disable=SC2086
{
    faults fit-csv time.csv fit time.csv --inputs x_km,y_km,time_h --outputs u_ms,v_ms --features 6 --kernel div-free+decomposable --sigma 1+2 --covariates time_h -o old.orff
    faults fit-json t.csv fit t.csv $columns $fixed --lambda 1e-3 --json -o old.orff
    faults fit-stdin t.csv -i t.csv fit - $columns $fixed --lambda 1e-3 -o old.orff
    faults fit-classify kind.csv fit kind.csv --outputs kind --classify $fixed --lambda 1e-3 -o old.orff
    faults fit-npy 'y.npy' fit y.npy y.npy $fixed --lambda 1e-3 -o old.orff
}
finish
