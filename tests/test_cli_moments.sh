#!/bin/sh
# moments that are killed, go on, or are interrupted; what moments are is in cli/moments.
. "$SOURCE_DIR/tests/cli/common.sh"

field all.csv 1 300
field a.csv 1 100
options="--inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 --features 50"

# same A B WHAT: all numbers of two tables agree to 1e-7.
same() {
    paste -d , "$1" "$2" | awk -F, 'NR > 1 { n = NF / 2; for (i = 1; i <= n; i++) { e = $i - $(i + n); if (e > 1e-7 || e < -1e-7) bad++ } }
        END { exit bad > 0 || NR < 10 }' || fail "$3"
}

# Going on after a death in the middle. The rows come slowly, so that there is a middle.
mkfifo pipe
# shellcheck disable=SC2086  # words
"$orff" moments - $options --memory 0 --checkpoint part.moments --checkpoint-rows 50 -o never.moments -q <pipe &
pid=$!
exec 3>pipe
cat all.csv >&3
tries=0
while [ ! -e part.moments ] && [ $tries -lt 100 ]; do
    for _ in 1 2 3 4 5 6 7 8 9 10; do tail -n +2 all.csv >&3 2>/dev/null || :; done
    sleep 0.1
    tries=$((tries + 1))
done
kill -9 $pid || fail "it ended by itself"
exec 3>&-
wait $pid 2>/dev/null || :
[ -e part.moments ] || fail "there is no checkpoint"
[ ! -e never.moments ] || fail "a killed run has left its file"
{ cat all.csv; i=0; while [ $i -lt 20 ]; do tail -n +2 all.csv; i=$((i + 1)); done; } >long.csv
# shellcheck disable=SC2086  # words
expect 0 'resumed after' "$orff" moments long.csv $options --memory 0 --checkpoint part.moments --checkpoint-rows 50 --resume -o long.moments
expect 0 'moments of 6300 rows' "$orff" info long.moments
[ ! -e part.moments ] || fail "the checkpoint stays after success"
# shellcheck disable=SC2086  # words
"$orff" moments long.csv $options -o long2.moments -q
for name in long long2; do
    "$orff" fit --from-moments $name.moments --lambda 1e-5 -o $name.orff -q
    "$orff" predict $name.orff a.csv -o $name.out.csv -q
done
same long.out.csv long2.out.csv "resumed moments"

# An interrupt: 130, and no file. A script starts what is in the background with INT ignored, and so it stays.
# shellcheck disable=SC2086  # words
env --default-signal=INT "$orff" moments - $options --memory 0 -o interrupted.moments <pipe 2>err &
pid=$!
exec 3>pipe
cat all.csv >&3
sleep 0.5
kill -INT $pid
tail -n +2 all.csv >&3 || :
exec 3>&-
status=0
wait $pid || status=$?
[ "$status" -eq 130 ] || fail "interrupt: status $status $(cat err)"
grep -q 'interrupted' err || fail "interrupt: $(cat err)"
[ ! -e interrupted.moments ] || fail "an interrupted run has left its file"
finish
