#!/bin/sh
# fit and moments with --checkpoint: a run that is killed goes on where it was and ends with the same bytes; other data,
# other options, damage and full disks lose nothing.
. "$SOURCE_DIR/tests/cli/common.sh"

# More rows than the automatic choices look at.
field plain.csv 1 24000
awk -F, 'NR == 1 { print $0 ",w,sort" } NR > 1 { print $0 "," 1 + NR % 3 "," ($1 > 0 ? "east" : $2 > 0 ? "north" : "south") }' plain.csv >long.csv
rows="--inputs x_km,y_km --outputs u_ms,v_ms --features 30 --memory 0"

# run FIT|MOMENTS DATA NAME OPTIONS..: with checkpoints, quietly; the result is NAME.
run() {
    command=$1 from=$2 to=$3
    shift 3
    # shellcheck disable=SC2086  # words
    "$orff" "$command" "$from" $rows "$@" --checkpoint part --checkpoint-rows 5000 -o "$to"
}

# Rows come through a pipe that stays open: the run has read them all, waits for more, and is killed.
mkfifo pipe
killed() {
    command=$1
    shift
    # shellcheck disable=SC2086  # words
    "$orff" "$command" - $rows "$@" --checkpoint part --checkpoint-rows 5000 -o never <pipe 2>err &
    pid=$!
    exec 3>pipe
    cat long.csv >&3 2>/dev/null || : # a run that ends at once is told below
    tries=0
    while [ ! -e part ] && kill -0 $pid 2>/dev/null && [ $tries -lt 1000 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    kill -9 $pid 2>/dev/null || fail "$command $*: it ended by itself: $(cat err)"
    exec 3>&-
    wait $pid 2>/dev/null || :
    [ -e part ] || fail "$command $*: there is no checkpoint: $(cat err)"
    [ ! -e never ] || fail "$command $*: a killed run has left its file"
}

# resumes FIT|MOMENTS OPTIONS..: killed and resumed it is what it is without.
resumes() {
    command=$1
    shift
    killed "$command" "$@"
    run "$command" long.csv resumed "$@" --resume >out 2>&1 || fail "$command $*: $(cat out)"
    grep -q 'resumed after [1-9][0-9]* rows' out || fail "$command $*: not resumed: $(cat out)"
    [ ! -e part ] || fail "$command $*: the checkpoint stays after success"
    run "$command" long.csv whole "$@" -q || fail "$command $*: could not be done at once"
    cmp -s resumed whole || fail "$command $*: a resumed run ends otherwise"
    [ ! -e part ] || fail "$command $*: the checkpoint stays"
}
resumes moments --kernel div-free --sigma 0.8
resumes moments --kernel decomposable --sigma 0.8 --precision single --weights w
resumes fit
resumes fit --kernel auto
resumes fit --kernel helmholtz --mix auto --scale-outputs yes --weights w
resumes fit --kernel curl-free+div-free --sigma 0.8+0.5 --weight auto --scale-inputs yes --precision single

# What has to be read twice comes from a file. There the model cannot be written in the end, and nothing is lost.
lost() {
    (
        ulimit -f 200
        run "$@"
    ) >out 2>&1 && fail "$*: there was room"
    [ -e part ] || fail "$*: nothing was kept: $(cat out)"
    [ ! -e "$3" ] || fail "$*: half a file was left"
    run "$@" --resume >out 2>&1 || fail "$*: $(cat out)"
    grep -q 'resumed after 24000 rows' out || fail "$*: not resumed: $(cat out)"
    cp "$3" resumed
    run "$@" -q || fail "$*: could not be done at once"
    cmp -s resumed "$3" || fail "$*: a resumed run ends otherwise"
}
large="--features 70 --lambda 1e-4 --posterior yes"
# shellcheck disable=SC2086  # words
lost fit long.csv classes --outputs sort --classify --sigma 0.8 $large
# shellcheck disable=SC2086  # words
lost fit long.csv plane --geo lonlat --kernel div-free --sigma 50 $large

# Rows in memory, and an iteration.
rows="--inputs x_km,y_km --outputs u_ms,v_ms --features 30"
field small.csv 1 400
run fit small.csv whole.orff -q
"$orff" fit small.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 30 -o plain.orff -q
cmp -s whole.orff plain.orff || fail "checkpoints change what is found"
run fit small.csv huber.orff --loss huber -q
[ ! -e part ] || fail "the checkpoint of an iteration stays"

# Other data are refused, and the checkpoint is left alone.
rows="--inputs x_km,y_km --outputs u_ms,v_ms --features 30 --memory 0 --sigma 0.8"
killed fit
cp part kept
refused() {
    pattern=$1
    shift
    expect 1 "$pattern" run "$@" --resume
    cmp -s part kept || fail "$*: the checkpoint has changed"
    [ ! -e no.orff ] || fail "$*: there is a model"
}
awk 'NR == 6 { sub(/^-?0\./, "&1") } { print }' long.csv >other.csv
refused 'part was made from other data: rows 5 to 8 differ; remove it to start again' fit other.csv no.orff
awk 'NR == 101 { kept = $0; next } { print } NR == 102 { print kept }' long.csv >other.csv
refused 'rows 65 to 128 differ' fit other.csv no.orff
head -n 19001 long.csv >other.csv
refused 'here are only 19000' fit other.csv no.orff
refused 'rows? 1 .*differ' fit long.csv no.orff --outputs v_ms,u_ms
refused 'weighted was false and is true now' fit long.csv no.orff --weights w
refused 'sampling.features was 30 and is 31 now' fit long.csv no.orff --features 31
refused 'parts.1..sigma was 0.8 and is 0.9 now' fit long.csv no.orff --sigma 0.9
refused 'task was "fit" and is "moments" now' moments long.csv no.orff
expect 1 'part: .*resume it, or remove it' run fit long.csv no.orff
cmp -s part kept || fail "a run that was not to go on has changed the checkpoint"

expect 0 'checkpoint of a run' "$orff" info part

# Damage, and what is no checkpoint at all.
printf x | dd of=part bs=1 seek=3000 conv=notrunc 2>/dev/null
cp part damaged
expect 1 'part: .*left alone' run fit long.csv no.orff --resume
cmp -s part damaged || fail "a damaged checkpoint was touched"
cp small.csv part
expect 1 'part: .*left alone' run fit long.csv no.orff --resume
expect 1 'part: .*left alone' run fit long.csv no.orff
cmp -s part small.csv || fail "a table was taken for a checkpoint"
# shellcheck disable=SC2086  # words
expect 2 '--checkpoint: long.csv is also read by this command' "$orff" fit long.csv $rows --checkpoint long.csv -o no.orff
# shellcheck disable=SC2086  # words
expect 2 '--checkpoint: no.orff is also the file of --output' "$orff" fit long.csv $rows --checkpoint no.orff -o no.orff
# shellcheck disable=SC2086  # words
expect 1 'nowhere/x' "$orff" fit long.csv $rows --checkpoint nowhere/x -o no.orff

# No room for the next one, nor for the model: the last one stays, and the run says so.
cp kept part
(
    ulimit -f 20
    run fit long.csv no.orff --resume
) >out 2>&1 && fail "there was room"
grep -q 'warning: the checkpoint was not saved, so the last one is still there: part: ' out || fail "full disk: $(cat out)"
cmp -s part kept || fail "a full disk has taken the last checkpoint"
expect 0 'resumed after' run fit long.csv roomy.orff --resume

expect 2 '--checkpoint: has no effect on an exact model' "$orff" fit small.csv --inputs 1-2 --outputs 3-4 --engine exact --checkpoint part -o x.orff
expect 2 'checkpoint' "$orff" exact small.csv --inputs 1-2 --outputs 3-4 --checkpoint part -o x.orff
expect 2 'checkpoint' "$orff" tune small.csv --inputs 1-2 --outputs 3-4 --checkpoint part -o x.orff
expect 2 '--resume: needs --checkpoint' "$orff" fit small.csv --inputs 1-2 --outputs 3-4 --resume -o x.orff
finish
