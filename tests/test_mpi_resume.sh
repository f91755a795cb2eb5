#!/bin/sh
# orff-mpi --checkpoint: ended in the middle, twice, and gone on from with other numbers of ranks.
. "$SOURCE_DIR/tests/mpi/common.sh"

field few.csv 1 900
i=0
{
    head -n 1 few.csv
    while [ $i -lt 16 ]; do
        tail -n +2 few.csv
        i=$((i + 1))
    done
    echo ',1,2,3' # dropped
} >all.csv
field points.csv 7 60
columns="--inputs x_km,y_km --outputs u_ms,v_ms --skip-missing --kernel div-free --sigma 1 --features 400 --lambda 1e-4"

saved() { ls -i sums.[0-9] sums.[0-9][0-9] 2>/dev/null || :; } # not those that are being written

# A run on so many ranks that dies when a file of its checkpoint has changed.
die_on() {
    saved >before
    # shellcheck disable=SC2086  # words
    "$MPIEXEC" $oversubscribe -n "$1" "$orff_mpi" fit all.csv $columns --checkpoint sums --checkpoint-rows 1 $2 -o never.orff >out 2>&1 </dev/null &
    mpi=$!
    tries=0
    while kill -0 $mpi 2>/dev/null && saved | cmp -s - before && [ $tries -lt 600 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    victims=$(ps -e -o pid= -o args= | awk -v me="$orff_mpi" -v word=never.orff '$2 == me && index($0, word) && /checkpoint sums/ { print $1 }')
    for one in $mpi $victims; do kill -9 "$one" 2>/dev/null || :; done
    wait $mpi 2>/dev/null || :
    [ -n "$(saved)" ] || fail "no checkpoint of $1 ranks: $(cat out)"
    [ ! -e never.orff ] || fail "$1 ranks were done before they were ended"
}
die_on 2 ""

# Not without being asked to, not with other settings, not from a file that is damaged.
# shellcheck disable=SC2086
{
    refused 2 'there is a checkpoint already' "$orff_mpi" fit all.csv $columns --checkpoint sums -o never.orff
    echo mine >notes.1
    refused 2 'notes.1: is not a checkpoint, ' "$orff_mpi" fit all.csv $columns --checkpoint notes -o never.orff
    refused 2 'checkpoint of other data or settings' "$orff_mpi" fit all.csv $columns --seed 3 --checkpoint sums --resume yes -o never.orff
    mkdir kept
    cp -p sums.[0-9] sums.[0-9][0-9] kept 2>/dev/null || :
    one=$(basename "$(ls kept/* | head -n 1)")
    head -c 100000 "kept/$one" >"$one"
    refused 3 "$one: is not a checkpoint .* damaged" "$orff_mpi" fit all.csv $columns --checkpoint sums --resume yes -o never.orff
    { head -c 100000 "kept/$one"; printf x; tail -c +100002 "kept/$one"; } >"$one"
    refused 3 "$one: is not a checkpoint .* damaged" "$orff_mpi" fit all.csv $columns --checkpoint sums --resume yes -o never.orff
    cp -p kept/* .
}

die_on 3 "--resume yes"
# A file that was taken over, and that nobody lived to remove.
for one in kept/*; do [ -e "$(basename "$one")" ] || cp -p "$one" .; done
# shellcheck disable=SC2086
for n in 4 1; do
    [ $n -ne 4 ] || resume="--checkpoint sums --resume yes"
    ranks $n "$orff_mpi" fit all.csv $columns ${resume:-} -o $n.orff >out.$n 2>&1 </dev/null || fail "on $n ranks: $(cat out.$n)"
    resume=
    grep -q ' 14400 used, 1 dropped' out.$n || fail "on $n ranks: not all rows, or not once: $(cat out.$n)"
    "$orff" predict $n.orff points.csv -o $n.csv -q
done
grep -Eq '[1-9][0-9]* of 16 portions of the rows are in the checkpoint' out.4 || fail "4 ranks did not go on: $(cat out.4)"
close 4.csv 1.csv "gone on twice, and not interrupted: another result"
ls sums* .sums* never* 2>/dev/null && fail "files are left"

# A lattice, from the beginning to the end; and what keeps no sums.
# shellcheck disable=SC2086
ranks 2 "$orff_mpi" fit few.csv --inputs x_km,y_km --outputs u_ms,v_ms --engine lattice --sigma 1 --checkpoint sums --checkpoint-rows 1 -o lattice.orff >out 2>&1 ||
    fail "a lattice: $(cat out)"
ls sums* 2>/dev/null && fail "files of a lattice are left"
# shellcheck disable=SC2086
refused 2 'keeps no sums' "$orff_mpi" fit few.csv --inputs x_km,y_km --outputs u_ms,v_ms --sigma 1 --lambda 1 --spread --checkpoint sums -o never.orff
finish
