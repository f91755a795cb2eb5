#!/bin/sh
# view without memory and on failing disks: the old page stays, or the new one is whole.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/faults.sh"

prepare field t.csv 1 24
prepare "$orff" fit t.csv --outputs u_ms,v_ms --engine features --features 6 --sigma 0.7 --lambda 1e-3 -q -o m.orff

faults view 'm.orff t.csv' -f memory,write,sync,rename,close,flush view m.orff --points t.csv -n 1 -o old.html
finish
