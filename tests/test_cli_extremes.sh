#!/bin/sh
# Numbers beyond what can be computed with: a fit ends with what is wrong and what to do, and the old file stays. Whatever is
# written can be read.
. "$(dirname "$0")/cli/common.sh"

awk 'BEGIN {
    seed = 42
    print "x,y,u,v,w"
    for (i = 0; i < 40; i++) { x = draw(); y = draw(); printf "%.6f,%.6f,%.6f,%.6f,1\n", x, y, sin(3*x) + y, cos(2*y) - x }
}
function draw() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }' >t.csv

# with NAME COLUMN POWER [ROW]: a table whose column, or one number of it, is multiplied by 10^POWER
with() {
    awk -F, -v c="$2" -v power="$3" -v row="${4:-0}" 'BEGIN { OFS = "," }
        NR > 1 && (!row || NR == row) { $c = $c "e" power } { print }' t.csv >"$1"
}
with inputs.csv 1 300
with input.csv 2 300 6
with outputs.csv 3 300
with output.csv 4 150 9
with squares.csv 3 150
with weights.csv 5 300
with small.csv 1 -300
with small_outputs.csv 3 -300
with small_weights.csv 5 -300

columns="--inputs x,y --outputs u,v"

# refused PATTERN COMMAND..: an error that says so, and the old file as it was.
refused() {
    pattern=$1
    shift
    echo old >m.out
    expect 1 "$pattern" "$orff" "$@" -q -o m.out
    [ "$(cat m.out)" = old ] || fail "$*: the old file was replaced"
    rm -f m.out
    expect 1 "$pattern" "$orff" "$@" -q -o m.out
    [ ! -e m.out ] || fail "$*: a file was written"
    for left in m.out*; do [ ! -e "$left" ] || fail "$*: $left was left"; done
}

# readable COMMAND..: a file, and it can be read.
readable() {
    expect 0 'written +m.out' "$orff" "$@" -o m.out
    expect 0 'rows' "$orff" info m.out
}

for way in '--solver direct --features 30' '--solver lsmr --features 30' '--engine exact'; do
    fit="fit --sigma 1 --lambda 1e-3 $way"
    # shellcheck disable=SC2086  # words
    {
        refused 'lambda is 1e\+16.*smaller lambda' $fit t.csv $columns --lambda 1e16
        refused 'lambda is 1e\+300.*smaller lambda' $fit t.csv $columns --lambda 1e300
        refused 'input 1 is .*row 1,.*another unit' $fit inputs.csv $columns
        refused 'input 2 is .*row 5,.*another unit' $fit input.csv $columns --scale-inputs yes
        refused 'output 1 is .*another unit' $fit outputs.csv $columns
        refused 'output 1 is .*another unit' $fit outputs.csv $columns --scale-outputs yes
        refused 'output 2 is .*row 8,.*another unit' $fit output.csv $columns --scale-outputs yes
        refused 'output 1 is .*another unit' $fit squares.csv $columns
        refused 'the weight of row 1 is .*divide' $fit weights.csv $columns --weights w
        readable $fit t.csv $columns --lambda 1e15
        readable $fit t.csv $columns --lambda 1e-300
        readable $fit small.csv $columns --scale-inputs yes
        readable $fit small_outputs.csv $columns --scale-outputs yes
        readable $fit small_weights.csv $columns --weights w
    }
done
# shellcheck disable=SC2086  # words
{
    refused 'lambda is 1e\+16' fit t.csv $columns --sigma 1 --lambda 1e16 --features 1000
    refused 'lambda is 1e\+16' exact t.csv $columns --sigma 1 --lambda 1e16
    refused 'input 1 is ' fit inputs.csv $columns
    refused 'output 1 is ' exact squares.csv $columns
    refused 'input 2 is .*another unit' moments input.csv $columns --sigma 1 --features 20
    refused 'output 1 is .*another unit' moments outputs.csv $columns --sigma 1 --features 20
    refused 'weight.*another unit' moments weights.csv $columns --weights w --sigma 1 --features 20
}

# a stream is checked as it is read
# shellcheck disable=SC2086  # words
refused 'input 2 is .*row 5,' fit input.csv $columns --sigma 1 --lambda 1e-3 --features 20 --memory 0

# sums that overflow only together
with large.csv 3 149
# shellcheck disable=SC2086  # words
"$orff" moments large.csv $columns --sigma 1 --features 5 -q -o a.moments
for i in 1 2 3 4 5 6 7 8; do
    set --
    for k in 1 2 3 4 5 6 7 8 9 10; do set -- "$@" a.moments; done
    "$orff" merge "$@" -q -o b.moments || break
    mv b.moments a.moments
done
expect 1 'c.moments: .*sums over the rows have overflowed' "$orff" merge a.moments a.moments a.moments a.moments a.moments \
    a.moments a.moments a.moments a.moments a.moments a.moments a.moments -o c.moments
[ ! -e c.moments ] || fail "sums that overflowed were written"
expect 0 'moments of' "$orff" info a.moments
finish
