#!/bin/sh
# moments, merge and fit --from-moments: sums are as one pass, and what is subtracted is forgotten.
. "$SOURCE_DIR/tests/cli/common.sh"

field all.csv 1 300
field a.csv 1 100
field b.csv 101 200
field c.csv 201 300
options="--inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 --features 50"
for name in a b c all; do
    # shellcheck disable=SC2086  # words
    expect 0 'rows, 0 dropped, 50 frequencies, 5 folds' "$orff" moments $name.csv $options -o $name.moments
done
expect 0 '^300 rows' "$orff" merge a.moments b.moments c.moments -o sum.moments
expect 0 '^200 rows' "$orff" merge sum.moments --subtract b.moments -o ac.moments
for name in all sum ac; do
    expect 0 'written' "$orff" fit --from-moments $name.moments -o $name.orff
    "$orff" predict $name.orff a.csv -o $name.out.csv -q
done

# same A B WHAT: all numbers of two tables agree to 1e-7.
same() {
    paste -d , "$1" "$2" | awk -F, 'NR > 1 { n = NF / 2; for (i = 1; i <= n; i++) { e = $i - $(i + n); if (e > 1e-7 || e < -1e-7) bad++ } }
        END { exit bad > 0 || NR < 10 }' || fail "$3"
}
same all.out.csv sum.out.csv "merged moments give another model"
"$orff" fit all.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 --features 50 -o direct.orff -q
"$orff" fit --from-moments all.moments --lambda 1e-5 -o all.orff -q
head -n 101 a.csv >ac.csv
tail -n +2 c.csv >>ac.csv
# shellcheck disable=SC2086  # words
"$orff" moments ac.csv $options -o ac2.moments -q
"$orff" fit --from-moments ac2.moments -o ac2.orff -q
"$orff" predict ac2.orff a.csv -o ac2.out.csv -q
same ac.out.csv ac2.out.csv "forgetting"

# Kernel and lambda are free, length scales are not.
expect 0 'curl-free' "$orff" fit --from-moments all.moments --kernel curl-free -o k.orff
expect 0 'helmholtz' "$orff" fit --from-moments all.moments --kernel helmholtz --mix 0.2 -o k.orff
expect 0 'found: ' "$orff" fit --from-moments all.moments --kernel curl-free+div-free --weight auto -o k.orff
expect 1 '.' "$orff" fit --from-moments all.moments --sigma 2 -o k.orff
expect 2 'give --from-moments or data' "$orff" fit all.csv --from-moments all.moments -o k.orff
expect 2 '--features: has no effect on moments' "$orff" fit --from-moments all.moments --features 10 -o k.orff
expect 0 'moments of 300 rows' "$orff" info all.moments
expect 0 'div-free, gaussian, sigma 0.8' "$orff" info all.moments
expect 0 '"kind": "moments"' "$orff" info all.moments --json

# Length scales can be found.
expect 0 'length scale' "$orff" moments a.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --features 50 -o auto.moments
expect 0 'written' "$orff" fit --from-moments auto.moments -o auto.orff

# What does not belong together.
"$orff" moments b.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.9 --features 50 -o other.moments -q
expect 1 'other.moments: ' "$orff" merge a.moments other.moments -o no.moments
expect 1 'all.orff' "$orff" merge all.orff -o no.moments
[ ! -e no.moments ] || fail "a failed merge has written a file"

# Streaming, and going on after a death in the middle. The rows come slowly, so that there is a middle.
# shellcheck disable=SC2086  # words
"$orff" moments all.csv $options --memory 0 -o stream.moments -q
"$orff" fit --from-moments stream.moments -o stream.orff -q
"$orff" predict stream.orff a.csv -o stream.out.csv -q
same sum.out.csv stream.out.csv "streamed moments"
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
# Moments are no checkpoint: nobody's are used up.
# shellcheck disable=SC2086  # words
expect 1 'a.moments: .*left alone' "$orff" fit all.csv $options --checkpoint a.moments --resume -o resumed.orff
expect 0 'moments of 100 rows' "$orff" info a.moments

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

expect 2 '--resume: needs --checkpoint' "$orff" moments a.csv --inputs 1-2 --outputs 3-4 --sigma 1 --features 9 --resume -o x.moments
finish
