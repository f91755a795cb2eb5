#!/bin/sh
# moments, merge and fit by moments without memory and on failing disks.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/faults.sh"

prepare field t.csv 1 24
columns='--inputs x_km,y_km --outputs u_ms,v_ms'
fixed='--features 6 --sigma 0.7'
# shellcheck disable=SC2086  # words
for part in a b c; do prepare "$orff" moments t.csv $columns $fixed --folds 2 -q -o $part.moments; done

# shellcheck disable=SC2086
{
    faults fit-moments a.moments fit --from-moments a.moments --lambda 1e-3 -o old.orff
    faults fit-checkpoint t.csv -s part fit t.csv $columns $fixed --lambda 1e-3 --memory 0 --checkpoint part --checkpoint-rows 10 -o old.orff
    faults moments t.csv moments t.csv $columns $fixed --folds 2 -o old.moments
    faults merge 'a.moments b.moments c.moments' merge a.moments b.moments --subtract c.moments --json -o old.moments
}
finish
