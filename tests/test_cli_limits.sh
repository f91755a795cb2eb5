#!/bin/sh
# A limit of memory (ulimit -v), wherever it falls: the program does its work, or says that memory is short and leaves
# no file. It never hangs and is never killed. Below what its libraries take by themselves, the loader refuses.
. "$SOURCE_DIR/tests/cli/common.sh"

field train.csv 1 300
columns='--inputs x_km,y_km --outputs u_ms,v_ms --quiet'
fixed='--features 60 --sigma 0.7 --lambda 1e-3'
(ulimit -v 8000000 && "$orff" --version) >out 2>&1 || { echo "skipped: a sanitizer needs more than any limit"; exit 77; }
grep -q OpenBLAS out || { echo "skipped: this is about OpenBLAS"; exit 77; }

done_runs=0 refused=0

# limited KB FILE COMMAND..: each run under a limit, and under one of time for what would hang.
limited() {
    limit=$1 file=$2
    shift 2
    rm -f "$file"
    status=0
    (ulimit -v "$limit" && exec timeout -s KILL 200 "$@") >out 2>&1 </dev/null || status=$?
    case $status in
    0)
        [ -s "$file" ] || fail "$*: status 0 but no file, limit $limit"
        done_runs=$((done_runs + 1))
        ;;
    1)
        grep -Eiq 'memory|malloc' out || fail "$*: limit $limit: no word about memory: $(cat out)"
        [ ! -e "$file" ] || fail "$*: limit $limit: failed, but there is a file"
        refused=$((refused + 1))
        ;;
    127) grep -q 'shared libraries' out || fail "$*: limit $limit: $(cat out)" ;;
    *) fail "$*: limit $limit: status $status: $(cat out)" ;;
    esac
    others=$(find . -name '*.tmp-*')
    [ -z "$others" ] || fail "$*: limit $limit: leaves $others"
}

# sweep FIRST STEP LAST COMMAND..
sweep() {
    limit=$1 step=$2 last=$3
    shift 3
    while [ "$limit" -le "$last" ]; do
        limited "$limit" m.orff "$@"
        limit=$((limit + step))
    done
}

# OMP_NUM_THREADS is what OpenBLAS begins with; --threads comes later.
for begin in 1 2; do
    export OMP_NUM_THREADS=$begin
    for threads in 1 2; do
        # shellcheck disable=SC2086  # words
        sweep 80000 31000 850000 "$orff" fit train.csv $columns $fixed --threads $threads -o m.orff
    done
done
# Two variables that say different numbers.
export OPENBLAS_NUM_THREADS=1
# shellcheck disable=SC2086
sweep 204000 31000 390000 "$orff" fit train.csv $columns $fixed -o m.orff
unset OPENBLAS_NUM_THREADS OMP_NUM_THREADS
# shellcheck disable=SC2086
sweep 80000 97000 1100000 "$orff" fit train.csv $columns $fixed -o m.orff
export OMP_NUM_THREADS=2
# shellcheck disable=SC2086
sweep 600000 13000 760000 "$orff" exact train.csv $columns --kernel div-free --sigma 0.7 -o m.orff
[ "$done_runs" -gt 10 ] || fail "only $done_runs runs had enough memory"
[ "$refused" -gt 10 ] || fail "only $refused runs had too little memory"

# What is written in a tight place is what is written elsewhere.
export OMP_NUM_THREADS=1
# shellcheck disable=SC2086
"$orff" fit train.csv $columns $fixed -o free.orff
# shellcheck disable=SC2086
limited 850000 m.orff "$orff" fit train.csv $columns $fixed -o m.orff
cmp -s m.orff free.orff || fail "a limit makes another model"
finish
