#!/bin/sh
# Texts that mean harm are shown on a terminal, and nothing moves.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/hostile.sh"

for name in control escape line bytes unusual; do
    text=$(cat $name.txt)
    rm -f ./*.moments t.orff
    for options in '--outputs 3,4' '--outputs 3 --classify'; do
        # shellcheck disable=SC2086  # words
        run "$orff" fit $name.csv --inputs 1,2 $options --kernel decomposable --sigma 1 --features 10 -o t.orff
        [ "$status" -eq 0 ] || fail "$name: no model"
        run "$orff" predict t.orff $name.csv -o out.csv --json
        [ "$status" -eq 0 ] || fail "$name: its own columns are not found: $(cat stderr)"
        run "$orff" evaluate t.orff $name.csv
        run "$orff" info t.orff
    done
    set -- --inputs 1,2 --outputs 3,4 --sigma 1 --features 10
    run "$orff" tune $name.csv "$@" --kernel decomposable --kernel curl-free --report r.csv -o t.orff --json
    run "$orff" exact $name.csv --inputs 1,2 --outputs 3,4 --sigma 1 --kernel decomposable -o t.orff
    run "$orff" moments $name.csv "$@" --kernel decomposable -o t.moments
    run "$orff" merge t.moments t.moments -o u.moments --json
    run "$orff" fit $name.nc --inputs x,y --outputs u,v -o t.orff
    for file in $name.csv $name.nc t.orff u.moments $name.forged.orff; do
        run "$orff" info $file
        run "$orff" info $file --json
    done
    run "$orff" evaluate $name.forged.orff $name.csv
    run "$orff" view $name.forged.orff --grid 1=0:1:2,2=0:1:2 -n 0 -o page.html
    # The same texts as words of the command line.
    run "$orff" "$text"
    run "$orff" help "$text"
    run "$orff" fit "--$text"
    run "$orff" fit "$text" -o "$text"
    run "$orff" merge "$text" "$text" -o "$text.moments"
    run "$orff" plot good.orff -o "$text"
    for option in inputs kernel base sigma lambda lambda-grid folds loss sampling weights covariates memory output-matrix threads; do
        run "$orff" fit good.csv --inputs 1,2 --outputs 3,4 --features 10 "--$option" "$text" -o t.orff
    done
    run "$orff" kernel --x "$text" --z 1
    run "$orff" bound --kernel "$text" --base "$text"
    run "$orff" predict good.orff --grid "$text=0:1:2" -o out.csv
done
harm clean printed
harm clean page.html

# Shown, not left out; and as JSON it is what it was.
expect 0 'x\\x0a!canary\\x0a#1' "$orff" info line.csv
for name in control escape unusual good; do
    "$orff" info $name.csv --json >$name.json || fail "$name: no JSON"
    harm json $name $name.json
done
run "$orff" info longer.csv
[ "$(wc -c <stdout)" -lt 100000 ] || fail "a name of $(wc -c <stdout) bytes on a terminal"
finish
