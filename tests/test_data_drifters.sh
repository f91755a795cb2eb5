#!/bin/sh
# Currents of drifters at sea.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/data.sh"

xy='--inputs x_km,y_km --outputs u_ms,v_ms'
# shellcheck disable=SC2086  # lists of words
{
    split "$data/drifters/gladfull.csv"
    for kernel in decomposable div-free div-free+decomposable auto; do check 'drifters (GLAD)' 0.125 $kernel $xy; done
    split "$data/drifters/laserfull.csv"
    for kernel in decomposable div-free+decomposable auto; do check 'drifters (LASER)' 0.033 $kernel $xy; done
}
finish
