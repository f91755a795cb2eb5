#!/bin/sh
# The library orff_mpi: agreeing, sums over ranks, systems in pieces; tests/mpi/check.c does the work.
. "$SOURCE_DIR/tests/mpi/common.sh"

for count in 1 2 3 4; do
    ranks "$count" "$BUILD_DIR/mpi/mpi_check" >out 2>&1 || fail "$count ranks: $(cat out)"
    grep -q "all is well on $count ranks" out || fail "$count ranks: $(cat out)"
done
finish
