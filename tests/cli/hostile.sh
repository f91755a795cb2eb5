# For scripts about texts of files and of the command line that mean harm: sourced after common.sh. Texts, tables, models and
# reports that have them lie in the working directory (hostile.py); $texts names those wanted, all when it is empty.
# shellcheck shell=sh
command -v python3 >/dev/null || { echo "skipped: python3, which makes the files, is not installed"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
newline='
'

harm() { python3 "$SOURCE_DIR/tests/cli/hostile.py" "$@" 2>harm.err || fail "$* ($(tail -n 1 harm.err))"; }

# A program on the path that leaves a mark, wherever it runs; and a place of our own for temporary files.
mkdir bin tmp svg again
TMPDIR=$work/tmp
PATH=$work/bin:$PATH
export TMPDIR
printf '#!/bin/sh\n: >"%s/CANARY"\n' "$work" >bin/canary
chmod +x bin/canary
canary
[ -e CANARY ] || fail "the canary does not sing"
rm -f CANARY

quiet() {
    [ ! -e CANARY ] || fail "$1: something ran"
    [ -z "$(ls tmp)" ] || fail "$1: temporary files are left: $(ls tmp)"
    rm -rf CANARY tmp/*
}

# run COMMAND..: done, or a failure that was told. All that is printed is gathered, to be looked at together.
runs=0
run() {
    runs=$((runs + 1)) status=0
    "$@" >stdout 2>stderr </dev/null || status=$?
    [ "$status" -le 2 ] || fail "run $runs: $*: status $status: $(head -c 300 stderr)"
    { echo "== $runs" && cat stdout stderr; } >>printed
}

# draw WHAT MODEL|REPORT PICTURE
draw() {
    run "$orff" plot "$2" -o "$3"
    [ "$status" -eq 0 ] || fail "$1: no picture: $(head -c 300 stderr)"
    [ "$(cat stderr)" = "$3" ] || fail "$1: gnuplot complains: $(head -c 300 stderr)"
    quiet "$1"
}

learn() { "$orff" fit "$1" --inputs 1,2 --outputs 3,4 --kernel decomposable --sigma 1 --lambda 1e-3 --features 10 -q -o "$2"; }

# shellcheck disable=SC2086  # words
harm make ${texts:-}
learn good.csv good.orff
# shellcheck disable=SC2086
harm forge good.orff ${texts:-}
