#!/bin/sh
# What is written: never over an input, and only where it can be, which is found out before any work. Modes stay, links
# are followed, what is read-only or not a regular file is refused by every command that writes.
. "$SOURCE_DIR/tests/cli/common.sh"

export SOURCE_DATE_EPOCH=0 # the time is part of a NetCDF file
field t.csv 1 120
columns='--inputs x_km,y_km --outputs u_ms,v_ms --sigma 0.7 -q'
fast="$columns --features 30 --lambda 1e-3"
set -f # words of options, not patterns
# shellcheck disable=SC2086  # words
"$orff" fit t.csv $fast -o m.orff
# shellcheck disable=SC2086
"$orff" moments t.csv $columns --features 30 -o a.moments
cp a.moments b.moments
printf '1,0\n0,1\n' >W.csv
grid='x_km=-1:1:5,y_km=-1:1:5'

# refused OPTION FILE COMMAND..: as wrong usage, and the file stays.
refused() {
    option=$1 file=$2
    shift 2
    sum=$(cksum <"$file")
    expect 2 "--$option: .*(is also read by this command|is also the file of --[a-z]+)" "$@"
    [ "$(cksum <"$file")" = "$sum" ] || fail "$*: $file has changed"
}

# ---- the output is an input, by its name, another name, a link, and as standard input
ln -s t.csv link.csv
ln t.csv hard.csv
mkdir d
for name in t.csv ./t.csv d/../t.csv link.csv hard.csv; do
    # shellcheck disable=SC2086
    refused output t.csv "$orff" fit t.csv $fast -o "$name"
    # shellcheck disable=SC2086
    refused output t.csv "$orff" fit "$name" $fast -o t.csv
done
for command in exact tune moments; do
    # shellcheck disable=SC2086
    refused output t.csv "$orff" $command t.csv $columns -o t.csv
done
status=0
# shellcheck disable=SC2086
"$orff" fit - $fast -o t.csv <t.csv >out 2>&1 || status=$?
[ "$status" -eq 2 ] || fail "standard input: status $status: $(cat out)"
refused output m.orff "$orff" predict m.orff t.csv -o m.orff
refused output t.csv "$orff" predict m.orff t.csv -o t.csv
refused output m.orff "$orff" predict m.orff --grid "$grid" -o m.orff
refused output m.orff "$orff" plot m.orff -o m.orff
refused output t.csv "$orff" plot m.orff --points t.csv -o t.csv
# shellcheck disable=SC2086
refused output W.csv "$orff" fit t.csv $fast --output-matrix W.csv -o W.csv
# shellcheck disable=SC2086
refused output W.csv "$orff" fit t.csv $fast --output-matrix laplacian:W.csv -o W.csv
refused output a.moments "$orff" fit --from-moments a.moments -o a.moments
# shellcheck disable=SC2086
refused report t.csv "$orff" tune t.csv $columns --report t.csv -o x.orff
for command in fit moments; do
    # shellcheck disable=SC2086
    refused checkpoint t.csv "$orff" $command t.csv $columns --checkpoint t.csv -o x.orff
done

# ---- two outputs are one, also before they are there
# shellcheck disable=SC2086
refused report t.csv "$orff" tune t.csv $columns --report x.orff -o ./x.orff
# shellcheck disable=SC2086
refused checkpoint t.csv "$orff" moments t.csv $columns --checkpoint x.moments -o d/../x.moments
[ ! -e x.orff ] && [ ! -e x.moments ] || fail "a refused command has written"

# ---- merge reads all before it writes
expect 0 '240 rows' "$orff" merge a.moments b.moments -o a.moments
expect 0 '120 rows' "$orff" merge a.moments --subtract b.moments -o b.moments

# ---- every writer: "OUTPUT COMMAND.." with @ for the output
writers() {
    cat <<LIST
fit t.csv $fast -o @.orff
exact t.csv $columns --lambda 1e-3 -o @.orff
tune t.csv $fast -o @.orff
tune t.csv $fast -o tuned.orff --report @.csv
moments t.csv $columns --features 30 -o @.moments
moments t.csv $columns --features 30 --checkpoint @.moments -o other.moments
merge a.moments b.moments -o @.moments
predict m.orff t.csv -o @.csv
predict m.orff t.csv -o @.csv.gz
predict m.orff t.csv -o @.npy
predict m.orff --grid $grid -o @.nc
plot m.orff -o @.svg
view m.orff -n 0 -o @.html
LIST
}

# each PATTERN FILE_NAME: all of them, with this name for the file, fail at once.
each() {
    pattern=$1 place=$2
    writers >list
    while read -r line; do
        name=$(echo "$line" | sed "s|.*\(@[^ ]*\).*|\1|; s|@|$place|")
        make_target "$name"
        # shellcheck disable=SC2046
        expect 1 "$pattern" "$orff" $(echo "$line" | sed "s|@|$place|")
        check_target "$name" || fail "$line: $name has changed"
        rm -rf "$name"
    done <list
}

make_target() { :; }
check_target() { [ ! -e "$1" ]; }
each 'nosuch/x[a-z.]*: cannot be written: there is no directory' nosuch/x

make_target() { mkfifo "$1"; }
check_target() { [ -p "$1" ]; }
each 'fifo[a-z.]*: exists and is not a regular file' fifo

make_target() {
    echo precious >"$1"
    chmod 0444 "$1"
}
check_target() { [ "$(cat "$1")" = precious ] && [ "$(stat -c %a "$1")" = 444 ]; }
each 'kept[a-z.]*: is read-only' kept
rm -f tuned.orff other.moments

# It is found out before any work: not even the data are looked at.
# shellcheck disable=SC2086
expect 1 'nosuch/x.orff: cannot be written' "$orff" fit absent.csv $fast -o nosuch/x.orff

# ---- modes stay, links are followed, also where they lead to nothing yet
works() { "$orff" "$@" >out 2>&1 || fail "$*: $(cat out)"; }
for line in "fit t.csv $fast -o @.orff" "tune t.csv $fast -o tuned.orff --report @.csv" \
    "moments t.csv $columns --features 30 -o @.moments" "merge a.moments b.moments -o @.moments" \
    "predict m.orff t.csv -o @.csv" "predict m.orff t.csv -o @.npy" "predict m.orff --grid $grid -o @.nc"; do
    name=$(echo "$line" | sed 's|.*@\([^ ]*\).*|\1|')
    echo old >private"$name"
    chmod 0600 private"$name"
    # shellcheck disable=SC2046
    works $(echo "$line" | sed 's|@|private|')
    [ "$(stat -c %a "private$name")" = 600 ] || fail "$line: 0600 became $(stat -c %a "private$name")"
    [ "$(wc -c <"private$name")" -gt 4 ] || fail "$line: nothing was written"
    for there in yes no; do
        rm -f d/real"$name" link"$name"
        [ $there = no ] || echo old >d/real"$name"
        ln -s d/real"$name" link"$name"
        # shellcheck disable=SC2046
        works $(echo "$line" | sed 's|@|link|')
        [ -L "link$name" ] || fail "$line: the link was replaced"
        cmp -s "d/real$name" "private$name" || fail "$line: through a link comes another file"
    done
done

# ---- standard output
expect 0 'x_km' "$orff" predict m.orff t.csv -o -
[ ! -e ./- ] || fail "-o - makes a file"
finish
