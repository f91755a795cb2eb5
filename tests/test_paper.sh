#!/bin/sh
# orff-paper: every item's quick version gives the numbers expected of it; a number that differs is found; a run that
# was cut goes on and ends as if it had not been.
set -eu

program=$BUILD_DIR/paper/orff-paper
[ -x "$program" ] || { echo "there is no $program"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# status <expected> <arguments>: run quietly and compare the exit status.
status() {
    expected=$1
    shift
    set +e
    "$program" "$@" >"$work/said" 2>&1
    ended=$?
    set -e
    [ "$ended" -eq "$expected" ] || { cat "$work/said"; fail "orff-paper $* ended with $ended, not $expected"; }
}

# --- Misuse.
status 2
status 2 no-such-item -o "$work/out"
status 2 fields --check -o "$work/out"
status 2 fields --no-such-option
status 2 fields -o
status 2 fields --long-runs 0

# --- Every item is in the list and has what it needs; nothing else lies around.
"$program" list | awk '{ print $1 }' | sort >"$work/listed"
for folder in "$SOURCE_DIR"/paper/*/; do basename "$folder"; done | sort >"$work/folders"
diff "$work/listed" "$work/folders" || fail "the items listed are not the folders of paper/"
while read -r item; do
    for file in "$item.c" expected.csv; do
        [ -f "$SOURCE_DIR/paper/$item/$file" ] || fail "paper/$item/$file is missing"
    done
done <"$work/listed"

# --- All of them, compared.
"$program" all --quick --check -o "$work/out" || fail "an item does not give what is expected of it"
while read -r item; do
    grep -q '^finished = yes$' "$work/out/$item/settings.txt" || continue # left out: its data are not here
    [ "$(wc -l <"$work/out/$item/agreement.md")" -gt 2 ] || fail "$item says nothing about its agreement"
    ! grep -il 'nan[ ,|]*$' "$work/out/$item/agreement.md" || fail "a number is missing in $item/agreement.md"
    for script in "$work/out/$item"/*.gp; do
        if [ ! -f "$script" ] || ! command -v gnuplot >/dev/null; then continue; fi
        for kind in svg pdf png; do
            [ -s "${script%.gp}.$kind" ] || fail "${script%.gp}.$kind was not drawn"
        done
    done
done <"$work/listed"

# --- gnuplot never hears of the directory, whatever its name.
odd=$work/$(printf "d'\\n!touch CANARY\\n\"\\140touch CANARY\\140")
status 0 fields --quick -o "$odd"
if command -v gnuplot >/dev/null; then [ -s "$odd/fields/fields.png" ] || fail "no picture in a directory with an odd name"; fi
[ -z "$(find "$work" -name CANARY)" ] || fail "the name of a directory was run"

# --- Finished items are not run again, and a number that differs is found.
status 0 fields --quick --check --resume -o "$work/out"
grep -q 'already' "$work/said" || fail "a finished item was run again"
summary=$work/out/fields/summary.csv
sed 's/^curl-free,[^,]*/curl-free,1.3/' "$summary" >"$work/wrong" && cp "$work/wrong" "$summary"
status 1 fields --quick --check --resume -o "$work/out"
grep -q 'rms is 1.3, expected' "$work/said" || fail "the number that differs is not named"
sed '/^curl-free/d' "$summary" >"$work/wrong" && cp "$work/wrong" "$summary"
status 1 fields --quick --check --resume -o "$work/out"

# --- A run that was cut in the middle of a row.
item=$work/out/approximation-error
cp "$item/errors.csv" "$work/whole.csv"
head -c "$(($(wc -c <"$work/whole.csv") * 9 / 10))" "$work/whole.csv" >"$item/errors.csv"
sed '/^finished/d' "$item/settings.txt" >"$work/settings" && cp "$work/settings" "$item/settings.txt"
status 0 approximation-error --quick --check --resume -o "$work/out"
cmp "$item/errors.csv" "$work/whole.csv" || fail "a resumed run ends otherwise"

# --- Rows of other settings are not mixed in.
sed '/^finished/d; s/^sigma = .*/sigma = 2/' "$item/settings.txt" >"$work/settings" && cp "$work/settings" "$item/settings.txt"
status 1 approximation-error --quick --resume -o "$work/out"
grep -q 'another value of "sigma"' "$work/said" || fail "other settings were not noticed"
