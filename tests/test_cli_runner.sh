#!/bin/sh
# The runner of the small cases (cli/run.py) sees what is wrong: an expectation that does not hold fails, with a program that
# prints what it is told.
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/program" "$work/group"
cp "$SOURCE_DIR/tests/cli/run.py" "$SOURCE_DIR/tests/cli/field.sh" "$work"
printf '#!/bin/sh\nprintf "$1"\nprintf "$2" >&2\nexit $3\n' >"$work/program/orff"
chmod +x "$work/program/orff"
export PYTHONDONTWRITEBYTECODE=1

# try STATUS OUT ERR EXPECTED-STATUS: runs the case of the group with these expectations; printf makes lines of them.
try() {
    wanted=$1
    printf "%b" "$2" >"$work/group/case.out"
    printf "%b" "$3" >"$work/group/case.err"
    echo "$4" >"$work/group/case.status"
    runs "$wanted" group
}

# runs STATUS ARGUMENTS..
runs() {
    wanted=$1 status=0
    shift
    python3 "$work/run.py" "$work/program/orff" "$@" >"$work/said" 2>&1 || status=$?
    [ "$status" -eq "$wanted" ] || { echo "status $status, expected $wanted, of:"; cat "$work"/group/case.*; cat "$work/said"; exit 1; }
}

echo "orff 'one\nx  0.60653 and 7 rows\nlast\n' 'a warning\n' 3" >"$work/group/case.sh"
good='one\nx <0.607 0.01> and 7 rows\nlast\n'
try 0 "$good" 'a warning\n' 3
try 0 'one\n...\n' '...\n' 3
try 0 '...\nx <number> and <7 0> rows\n...\nlast\n...\n' 'a warning\n' 3
for wrong in '' 'one\n' 'one\n...\nfirst\n' 'one\nx <0.7 0.01> and 7 rows\nlast\n' 'one\nx <0.607 0.01> and 8 rows\nlast\n' \
    'one\nx <number>\nlast\n' 'one\nx  0.60653 and 7 rows\nlast\n' "${good}more\n" "more\n$good"; do
    try 1 "$wrong" 'a warning\n' 3
done
try 1 "$good" '' 3
try 1 "$good" 'another\n' 3
try 1 "$good" 'a warning\n' 0

# A program that fails is seen through a pipe.
cp "$work/group/case.sh" "$work/whole"
echo "orff 'one\\n' '' 3 | grep one" >"$work/group/case.sh"
try 0 'one\n' '' 3
try 1 'one\n' '' 0
mv "$work/whole" "$work/group/case.sh"

# What is accepted holds, with a tolerance for the long number.
try 1 'one\n...\nfirst\n' '' 0
runs 0 --accept group
runs 0 group
[ "$(cat "$work/group/case.out")" = "$(printf 'one\n...\nlast')" ] || { echo "accepted:"; cat "$work/group/case.out"; exit 1; }
rm "$work/group/case.out"
runs 0 --accept group/case
grep -q '^x  <0.607 0.006> and 7 rows$' "$work/group/case.out" || { echo "accepted:"; cat "$work/group/case.out"; exit 1; }

# Cases that are not there, files of no case, no program.
runs 1 group/other
runs 1 nowhere
: >"$work/group/other.out"
runs 1 group
rm "$work/group/other.out" "$work/program/orff"
runs 1 group
