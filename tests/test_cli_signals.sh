#!/bin/sh
# What ends the program from outside: the status is that of the signal, and no file is left behind. The limits of time
# are there for what would hang, and generous.
. "$SOURCE_DIR/tests/cli/common.sh"

field train.csv 1 300
columns='--inputs x_km,y_km --outputs u_ms,v_ms'
# shellcheck disable=SC2086  # words
"$orff" fit train.csv $columns --features 60 --sigma 0.7 --quiet -o m.orff

# left WHAT: nothing but what was there.
left() {
    others=$(find . -name 'big*')
    [ -z "$others" ] || fail "$1 leaves $others"
    rm -f big*
}

# An interrupt while LAPACK works on a large eigenproblem, which would take minutes and cannot be broken up; and in a
# large factorisation, which is broken up. The signal comes after two seconds; 100 more, and it was not heard.
awk 'BEGIN {
    print "x_km,y_km,u_ms,v_ms"
    for (i = 1; i <= 3000; i++) {
        x = (i * 0.754877666) % 1; y = (i * 0.569840291) % 1
        printf "%.9f,%.9f,%.9f,%.9f\n", x, y, sin(5 * y), cos(4 * x)
    }
}' >many.csv
# shellcheck disable=SC2086
expect 130 '^orff: interrupted$' timeout --preserve-status -s INT -k 100 2 \
    "$orff" exact many.csv $columns --kernel div-free --sigma 0.3 --threads 1 -o big.orff
left "an interrupt of exact with an eigendecomposition"
# shellcheck disable=SC2086
expect 130 '^orff: interrupted$' timeout --preserve-status -s INT -k 100 2 \
    "$orff" exact many.csv $columns --kernel div-free --sigma 0.3 --lambda 1e-4 --threads 1 -o big.orff
left "an interrupt of exact with a factorisation"

# start: a prediction that goes on for minutes, in the background, once its temporary file is there. INT is ignored by
# what a script starts in the background, HUP by what nohup starts, unless env undoes it.
direct=''
env --default-signal=INT,HUP true 2>/dev/null && direct='env --default-signal=INT,HUP'
start() {
    # shellcheck disable=SC2086
    $direct "$orff" predict m.orff --grid 'x_km=-1:1:6000,y_km=-1:1:6000' -o big.csv >out 2>&1 </dev/null &
    process=$!
    tries=0
    while [ -z "$(find . -name 'big.csv.tmp-*')" ] && kill -0 $process 2>/dev/null && [ $tries -lt 1200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    [ -n "$(find . -name 'big.csv.tmp-*')" ] || fail "no temporary file was seen: $(cat out)"
}

# ends SIGNAL STATUS: a watchdog ends what does not hear it.
ends() {
    ( # watches
        waited=0
        while kill -0 "$process" 2>/dev/null && [ $waited -lt 100 ]; do
            sleep 1
            waited=$((waited + 1))
        done
        kill -KILL "$process" 2>/dev/null
    ) &
    watchdog=$!
    status=0
    wait "$process" || status=$?
    kill $watchdog 2>/dev/null || true
    wait $watchdog 2>/dev/null || true
    [ "$status" -eq "$2" ] || fail "$1: status $status, expected $2: $(cat out)"
    left "$1"
}

start
kill -TERM "$process"
ends TERM 143
if [ -n "$direct" ]; then
    start
    kill -HUP "$process"
    ends HUP 129
    start
    kill -INT "$process"
    ends INT 130
    grep -q '^orff: interrupted$' out || fail "INT: $(cat out)"
    start
    kill -INT "$process"
    kill -INT "$process" 2>/dev/null || true
    ends "INT twice" 130
    [ "$(grep -c '^orff: interrupted$' out)" -eq 1 ] || fail "INT twice: $(cat out)"
fi

# What is ignored at the start stays ignored, as under nohup.
trap '' HUP
"$orff" predict m.orff --grid 'x_km=-1:1:600,y_km=-1:1:600' -o kept.csv -q &
process=$!
trap - HUP
while kill -HUP $process 2>/dev/null && [ -z "$(find . -name 'kept.csv*')" ]; do sleep 0.02; done
status=0
wait $process || status=$?
[ "$status" -eq 0 ] || fail "a HUP that is ignored: status $status"
[ "$(wc -l <kept.csv)" -eq 360001 ] || fail "a HUP that is ignored: $(wc -l <kept.csv) lines"
finish
